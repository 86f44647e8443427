import type { Migration } from './migration.ts'

export const sinks: Migration = {
  version: 26,
  name: 'sinks',
  statements: [
    `create table sinks (
      id text primary key,
      target text not null,
      has_settlements bigint not null,
      has_events bigint not null,
      enabled bigint not null,
      wait_seconds bigint not null,
      sealed_secret text not null,
      created_at_ms bigint not null,
      sent bigint not null default 0,
      lost bigint not null default 0,
      last_sent_at_ms bigint,
      failures bigint not null default 0,
      next_try_at_ms bigint,
      last_failure text
    )`,

    // What waits for a sink: an entry for each transaction that stored something, with the ids of what it stored.
    `create table sink_entries (
      entry_id text primary key,
      sink_id text not null references sinks (id) on delete cascade,
      place bigint not null,
      stream text not null,
      ids text not null,
      lines bigint not null,
      at_ms bigint not null
    )`,
    'create index sink_entries_in_order on sink_entries (sink_id, place, entry_id)',
    'create index sink_entries_by_time on sink_entries (at_ms)',
  ],
}
