import type { Migration } from './migration.ts'

export const markUps: Migration = {
  version: 20,
  name: 'mark-ups',
  statements: [
    `create table mark_ups (
      id text primary key,
      applies_to text not null,
      name text not null,
      basis_points integer not null,
      unique (applies_to, name)
    )`,
  ],
}
