import type { Migration } from './migration.ts'

/** What single suppliers need beyond an address, and whether a key may leave its account's own suppliers. */
export const supplierOptions: Migration = {
  version: 3,
  name: 'supplier-options',
  statements: [
    `alter table suppliers add column options text not null default '{}'`,
    'alter table suppliers add column timeouts text',
    'alter table api_keys add column shared_fallback integer not null default 0',
  ],
}
