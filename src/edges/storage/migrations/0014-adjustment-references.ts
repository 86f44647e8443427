import type { Migration } from './migration.ts'

/** An adjustment with a reference is entered once. Those without one, as all were before, may be as alike as they like. */
export const adjustmentReferences: Migration = {
  version: 14,
  name: 'adjustment-references',
  statements: [
    // Payments and refunds have tables that keep their references apart; an adjustment has nothing but its entry.
    `create unique index posted_entries_of_adjustment on posted_entries (account_id, reference)
    where kind = 'adjustment' and reference is not null`,
  ],
}
