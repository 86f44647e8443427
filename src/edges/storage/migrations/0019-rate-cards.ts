import type { Migration } from './migration.ts'

/** Settlements keep what is priced apart, what the supplier charges, and the mark-up. Old rows stay as they are. */
export const rateCards: Migration = {
  version: 19,
  name: 'rate-cards',
  statements: [
    'alter table settlements add column usage_details text',
    'alter table settlements add column cost_rates text',
    'alter table settlements add column cost_nano bigint',
    'alter table settlements add column markup_basis_points integer',
    'alter table settlements add column notes text',
    'alter table routes add column cost text',
    "alter table routes add column price_source text not null default 'manual'",
    'alter table suppliers add column aborts text',
  ],
}
