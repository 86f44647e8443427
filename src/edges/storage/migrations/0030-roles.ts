import type { Migration } from './migration.ts'

/**
 * What a member who is no owner may do. `role` keeps its two words: nodes of earlier versions take every other word for an
 * owner. Members without a word here are developers.
 */
export const roles: Migration = {
  version: 30,
  name: 'roles',
  statements: ['alter table memberships add column member_role text'],
}
