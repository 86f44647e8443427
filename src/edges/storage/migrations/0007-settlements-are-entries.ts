import type { Migration } from './migration.ts'

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

    `create index settlements_of_account_by_end
    on settlements (account_id, (cast(started_at_ms + duration_ms as bigint)))`,
    // The casts give both halves the same types; without them SQLite would sort all entries to find the newest.
    `create view ledger_entries (kind, id, account_id, amount_nano, request_id, reference, note, at_ms) as
    select kind, id, account_id, amount_nano, request_id, reference, note, at_ms from posted_entries
    union all
    select cast('settlement' as text), request_id, account_id, cast(-amount_nano as bigint), request_id,
      cast(null as text), cast(null as text), cast(started_at_ms + duration_ms as bigint)
    from settlements where amount_nano <> 0`,
  ],
}
