import type { Migration } from './migration.ts'

// Columns stay as they are when the program counts in other buckets one day.
const BUCKETS = Array.from({ length: 41 }, (_, bucket) => bucket)

function counts(name: string): string {
  return BUCKETS.map((bucket) => `${name}${bucket} bigint not null`).join(', ')
}

/**
 * What Explore shows and usage_totals do not have: durations by bucket, what caches saved, and failures by code. All of it
 * is counted from now on; `turnpike usage rebuild` counts what is stored of earlier requests.
 */
export const explore: Migration = {
  version: 33,
  name: 'explore',
  statements: [
    // No supplier is the empty text, as in usage_totals.
    `create table usage_measures (
      span text not null check (span in ('hour', 'day')),
      start_ms bigint not null,
      account_id text not null,
      model text not null,
      supplier text not null,
      saved_nano bigint not null,
      streamed_tokens bigint not null,
      streamed_ms bigint not null,
      ${counts('first_byte')},
      ${counts('duration')},
      primary key (span, start_ms, account_id, model, supplier)
    )`,
    'create index usage_measures_of_account on usage_measures (account_id, span, start_ms)',

    `create table usage_errors (
      span text not null check (span in ('hour', 'day')),
      start_ms bigint not null,
      account_id text not null,
      key_id text not null,
      model text not null,
      supplier text not null,
      code text not null,
      count bigint not null,
      primary key (span, start_ms, account_id, key_id, model, supplier, code)
    )`,
    'create index usage_errors_of_account on usage_errors (account_id, span, start_ms)',

    // The account is empty for the views of operators.
    `create table saved_views (
      id text primary key,
      account_id text not null,
      name text not null,
      search text not null,
      created_by text not null,
      created_at_ms bigint not null
    )`,
    'create unique index saved_views_of_account on saved_views (account_id, name)',
  ],
}
