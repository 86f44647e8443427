import type { Migration } from './migration.ts'

/** Accounts can be suspended and closed. The index finds alerts that are not over among many that are. */
export const accountStates: Migration = {
  version: 32,
  name: 'account-states',
  statements: [
    `alter table accounts add column state text not null default 'active'
      check (state in ('active', 'suspended', 'closed'))`,
    'alter table accounts add column state_reason text',
    'create index alerts_open on alerts (kind, at_ms) where occasion is not null',
  ],
}
