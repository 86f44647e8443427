import type { Migration } from './migration.ts'

/** What the console looks for among a million settlements, found without reading those it does not want. */
export const consoleIndexes: Migration = {
  version: 12,
  name: 'console-indexes',
  statements: [
    // Of the few that went wrong only. Key and model are told by the index itself: each row fetched to look at them
    // is a page of the disk.
    'drop index settlements_of_account_not_completed',
    `create index settlements_of_account_by_outcome
    on settlements (account_id, outcome, started_at_ms, key_id, model) where outcome <> 'completed'`,

    // Ordered by model within an hour, so that what is asked for most often need not be sorted.
    'drop index usage_totals_of_account',
    'create index usage_totals_of_account on usage_totals (account_id, span, start_ms, model)',
  ],
}
