import type { Migration } from './migration.ts'

/** Nodes report which limits they share, so that two that share one database but not one Redis notice it. */
export const sharedLimitsId: Migration = {
  version: 17,
  name: 'shared-limits-id',
  statements: ['alter table nodes add column shared_limits_id text'],
}
