import type { Migration } from './migration.ts'

/**
 * Usage has what was charged beyond what suppliers charge. Of earlier usage both are the same, and so they are of what
 * nodes of the previous version still add during an upgrade. Stored costs would be wrong then.
 */
export const usageMargin: Migration = {
  version: 21,
  name: 'usage-margin',
  statements: [
    `alter table usage_totals add column margin_nano bigint not null default 0
      check (margin_nano between -9223372036854775807 and 9223372036854775807)`,
  ],
}
