import type { Migration } from './migration.ts'

const FIGURES = [
  'completed',
  'client_left',
  'supplier_failed',
  'refused',
  'interrupted',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'images',
  'amount_nano',
  'margin_nano',
  'first_bytes',
  'first_byte_ms',
  'duration_ms',
]
const PLACE = 'span, start_ms, account_id, model, supplier'
const COLUMNS = `${PLACE}, ${FIGURES.join(', ')}`
const SUMS = sumsOf(FIGURES)

const MEASURES = [
  'saved_nano',
  'streamed_tokens',
  'streamed_ms',
  ...buckets('first_byte'),
  ...buckets('duration'),
]

function buckets(name: string): string[] {
  return Array.from({ length: 41 }, (_, bucket) => `${name}${bucket}`)
}

function sumsOf(columns: readonly string[]): string {
  return columns.map((column) => `cast(sum(${column}) as bigint)`).join(', ')
}

function newFigures(): string {
  return FIGURES.map((column) => `new.${column}`).join(', ')
}

/**
 * Usage without keys, which has far fewer rows than usage by key; the account is empty in the totals of all accounts.
 * Spends of keys have what keys are ranked by. Everything is counted from what is stored.
 */
export const accountUsage: Migration = {
  version: 35,
  name: 'account-usage',
  statements: [
    // First, and in this order: it keeps nodes that write from going on, which touch the tables in the same order.
    'alter table key_daily_spend add column requests bigint not null default 0',
    'alter table key_daily_spend add column failures bigint not null default 0',
    'alter table key_daily_spend add column prompt_tokens bigint not null default 0',
    'alter table key_daily_spend add column output_tokens bigint not null default 0',
    // Whether account_usage has what a row began with.
    'alter table usage_totals add column summed bigint not null default 1',

    `create table account_usage (
      span text not null check (span in ('hour', 'day')),
      start_ms bigint not null,
      account_id text not null,
      model text not null,
      supplier text not null,
      ${FIGURES.map((column) => `${column} bigint not null`).join(', ')},
      primary key (${PLACE})
    )`,
    `insert into account_usage (${COLUMNS}) select ${PLACE}, ${SUMS} from usage_totals group by ${PLACE}`,
    `insert into account_usage (${COLUMNS}) select span, start_ms, '', model, supplier, ${SUMS}
      from account_usage group by span, start_ms, model, supplier`,
    'create index account_usage_of_account on account_usage (account_id, span, start_ms, model)',

    // The series of single keys.
    'create index usage_totals_of_key on usage_totals (key_id, span, start_ms)',

    `insert into usage_measures (${PLACE}, ${MEASURES.join(', ')})
      select span, start_ms, '', model, supplier, ${sumsOf(MEASURES)}
      from usage_measures group by span, start_ms, model, supplier`,

    `insert into key_daily_spend (key_id, day, amount_nano, requests, failures, prompt_tokens, output_tokens)
      select key_id, start_ms / 86400000, 0,
        cast(sum(completed + client_left + supplier_failed + refused + interrupted) as bigint),
        cast(sum(supplier_failed + refused + interrupted) as bigint),
        cast(sum(input_tokens + cache_read_tokens + cache_write_tokens) as bigint),
        cast(sum(output_tokens) as bigint)
      from usage_totals where span = 'day' group by key_id, start_ms
      on conflict (key_id, day) do update set requests = excluded.requests, failures = excluded.failures,
        prompt_tokens = excluded.prompt_tokens, output_tokens = excluded.output_tokens`,
  ],
  // Nodes of the previous version add to usage_totals alone, and do not know the column. What they insert is what they
  // add, also where it becomes an update.
  onServer: [
    'alter table usage_totals alter column summed set default 0',
    `create function sum_usage_of_older_nodes() returns trigger language plpgsql as $$
    begin
      insert into account_usage as known (${COLUMNS})
      values (new.span, new.start_ms, '', new.model, new.supplier, ${newFigures()}),
        (new.span, new.start_ms, new.account_id, new.model, new.supplier, ${newFigures()})
      on conflict (${PLACE}) do update set
        ${FIGURES.map((column) => `${column} = known.${column} + excluded.${column}`).join(', ')};
      new.summed := 1;
      return new;
    end $$`,
    `create trigger usage_of_older_nodes before insert on usage_totals for each row
      when (new.summed = 0) execute function sum_usage_of_older_nodes()`,
  ],
}
