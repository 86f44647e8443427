import type { Migration } from './migration.ts'

const WITHIN_INT64 = 'between -9223372036854775807 and 9223372036854775807'
const ENDED_AT_MS = '(started_at_ms + duration_ms)'

function countUsage(span: 'hour' | 'day', spanMs: number): string {
  return `insert into usage_totals (span, start_ms, account_id, key_id, model, supplier,
      completed, client_left, supplier_failed, refused, interrupted,
      input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, images,
      amount_nano, first_bytes, first_byte_ms, duration_ms)
    select '${span}', ${ENDED_AT_MS} - ${ENDED_AT_MS} % ${spanMs}, account_id, key_id, model, coalesce(supplier, ''),
      count(case when outcome = 'completed' then 1 end), count(case when outcome = 'client_left' then 1 end),
      count(case when outcome = 'supplier_failed' then 1 end), count(case when outcome = 'refused' then 1 end),
      count(case when outcome = 'interrupted' then 1 end),
      sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens),
      sum(reasoning_tokens), sum(images), sum(amount_nano),
      count(first_byte_ms), coalesce(sum(first_byte_ms), 0), sum(duration_ms)
    from settlements
    group by ${ENDED_AT_MS} - ${ENDED_AT_MS} % ${spanMs}, account_id, key_id, model, coalesce(supplier, '')`
}

/** Usage added up by hour and day, and what is left of settlements whose details were deleted. */
export const usageAndRetention: Migration = {
  version: 9,
  name: 'usage-and-retention',
  statements: [
    // No supplier is the empty text: a key of PostgreSQL cannot hold null.
    `create table usage_totals (
      span text not null check (span in ('hour', 'day')),
      start_ms bigint not null,
      account_id text not null,
      key_id text not null,
      model text not null,
      supplier text not null,
      completed bigint not null,
      client_left bigint not null,
      supplier_failed bigint not null,
      refused bigint not null,
      interrupted bigint not null,
      input_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_tokens bigint not null,
      output_tokens bigint not null,
      reasoning_tokens bigint not null,
      images bigint not null,
      amount_nano bigint not null check (amount_nano ${WITHIN_INT64}),
      first_bytes bigint not null,
      first_byte_ms bigint not null,
      duration_ms bigint not null,
      primary key (span, start_ms, account_id, key_id, model, supplier)
    )`,
    'create index usage_totals_of_account on usage_totals (account_id, span, start_ms)',
    countUsage('hour', 3_600_000),
    countUsage('day', 86_400_000),
    'create index key_daily_spend_of_day on key_daily_spend (day)',

    // What deleted settlements have cost, by the day they ended on. The time is the last moment of that day.
    `create table carried_settlements (
      account_id text not null,
      key_id text not null,
      day bigint not null,
      settlements bigint not null,
      amount_nano bigint not null check (amount_nano ${WITHIN_INT64}),
      at_ms bigint not null,
      primary key (account_id, key_id, day)
    )`,
    'create index carried_settlements_by_time on carried_settlements (account_id, at_ms)',
    'create index carried_settlements_of_day on carried_settlements (day)',

    // Of settlements that ended before this, nobody can tell any more whether they were written.
    `create table settlement_horizon (
      only_row integer primary key check (only_row = 1),
      gone_before_ms bigint not null
    )`,
    'insert into settlement_horizon (only_row, gone_before_ms) values (1, 0)',

    'drop view ledger_entries',
    // The casts give all parts the same types; without them SQLite would sort all entries to find the newest.
    `create view ledger_entries (kind, id, account_id, amount_nano, request_id, reference, note, at_ms) as
    select kind, id, account_id, amount_nano, request_id, reference, note, at_ms from posted_entries
    union all
    select cast('settlement' as text), request_id, account_id, cast(-amount_nano as bigint), request_id,
      cast(null as text), cast(null as text), cast(started_at_ms + duration_ms as bigint)
    from settlements where amount_nano <> 0
    union all
    select cast('settlement' as text), cast('carried_' || key_id || '_' || day as text), account_id,
      cast(-amount_nano as bigint), cast(null as text), cast(null as text),
      cast('the sum of ' || settlements || ' settlements of ' || key_id as text), at_ms
    from carried_settlements where amount_nano <> 0`,
  ],
}
