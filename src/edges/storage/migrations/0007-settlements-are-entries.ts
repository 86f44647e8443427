import type { Migration } from '../migrations.ts'

/**
 * A settlement is its own ledger entry instead of having a copy: with its own keys, the copy cost as much to write as
 * the settlement. Queries still find all entries under one name.
 */
export const settlementsAreEntries: Migration = {
  version: 7,
  name: 'settlements-are-entries',
  statements: [
    // Append-only. The primary key keeps anything from being entered twice.
    `create table posted_entries (
      kind text not null check (kind in ('payment', 'refund', 'adjustment')),
      id text not null,
      account_id text not null,
      amount_nano bigint not null,
      request_id text,
      reference text,
      note text,
      at_ms bigint not null,
      primary key (kind, id)
    )`,
    `insert into posted_entries (kind, id, account_id, amount_nano, request_id, reference, note, at_ms)
    select kind, id, account_id, amount_nano, request_id, reference, note, at_ms
    from ledger_entries where kind <> 'settlement'`,
    'drop table ledger_entries',
    'create index posted_entries_of_account on posted_entries (account_id, at_ms, id)',

    'create index settlements_of_account_by_end on settlements (account_id, (started_at_ms + duration_ms))',
    `create view ledger_entries (kind, id, account_id, amount_nano, request_id, reference, note, at_ms) as
    select kind, id, account_id, amount_nano, request_id, reference, note, at_ms from posted_entries
    union all
    select 'settlement', request_id, account_id, -amount_nano, request_id, null, null, started_at_ms + duration_ms
    from settlements where amount_nano <> 0`,
  ],
}
