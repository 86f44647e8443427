import type { Migration } from './migration.ts'

export const tiers: Migration = {
  version: 29,
  name: 'tiers',
  statements: [
    `create table tiers (
      id text primary key,
      name text not null,
      rpm bigint,
      tpm bigint,
      earned_at_paid_nano bigint,
      position integer not null,
      enabled integer not null
    )`,
  ],
}
