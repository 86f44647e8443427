import type { Migration } from './migration.ts'

export const refusals: Migration = {
  version: 25,
  name: 'refusals',
  statements: [
    // Both ids are empty for requests without a known key.
    `create table refusal_minutes (
      minute_ms bigint not null,
      account_id text not null,
      key_id text not null,
      code text not null,
      count bigint not null,
      last_at_ms bigint not null,
      primary key (minute_ms, key_id, code)
    )`,
    'create index refusal_minutes_of_account on refusal_minutes (account_id, minute_ms)',

    `create table refusals (
      request_id text primary key,
      at_ms bigint not null,
      account_id text not null,
      key_id text not null,
      method text not null,
      path text not null,
      code text not null,
      status bigint not null,
      message text not null,
      param text,
      model text
    )`,
    'create index refusals_by_time on refusals (at_ms, request_id)',
    'create index refusals_of_account on refusals (account_id, at_ms, request_id)',
    'create index refusals_of_key on refusals (key_id, at_ms, request_id)',
  ],
}
