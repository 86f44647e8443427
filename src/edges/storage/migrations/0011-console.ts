import type { Migration } from './migration.ts'

/** What the console keeps, and what its lists are found by. */
export const consoleTables: Migration = {
  version: 11,
  name: 'console',
  statements: [
    `create table body_storage (
      account_id text primary key references accounts (id),
      is_enabled integer not null,
      days integer not null
    )`,
    // Requests and answers of accounts that asked for it; the content is sealed under the server secret.
    `create table kept_bodies (
      account_id text not null,
      request_id text not null,
      created_at_ms bigint not null,
      sealed_content text not null,
      primary key (account_id, request_id)
    )`,
    'create index kept_bodies_by_age on kept_bodies (account_id, created_at_ms)',

    `create table playground_keys (
      user_id text not null references users (id),
      account_id text not null references accounts (id),
      key_id text not null references api_keys (id),
      primary key (user_id, account_id)
    )`,

    // Of the few that went wrong only, so that the many others cost nothing.
    `create index settlements_of_account_not_completed on settlements (account_id, started_at_ms)
    where outcome <> 'completed'`,
  ],
}
