import type { Migration } from './migration.ts'

export const users: Migration = {
  version: 10,
  name: 'users',
  statements: [
    `create table users (
      id text primary key,
      email text not null unique,
      name text not null,
      password_hash text,
      is_operator integer not null,
      is_disabled integer not null,
      is_email_verified integer not null,
      outside_id text unique,
      created_at_ms bigint not null
    )`,
    'create index users_by_age on users (created_at_ms, id)',

    `create table memberships (
      user_id text not null references users (id),
      account_id text not null references accounts (id),
      role text not null check (role in ('owner', 'member')),
      primary key (user_id, account_id)
    )`,
    'create index memberships_of_account on memberships (account_id)',

    `create table sessions (
      id text primary key,
      user_id text not null references users (id),
      token_hash text not null unique,
      created_at_ms bigint not null,
      last_seen_at_ms bigint not null,
      ends_at_ms bigint not null,
      address text,
      user_agent text
    )`,
    'create index sessions_of_user on sessions (user_id)',
    'create index sessions_by_end on sessions (ends_at_ms)',

    `create table user_factors (
      user_id text primary key references users (id),
      sealed_secret text not null,
      is_confirmed integer not null,
      last_step bigint not null
    )`,
    `create table user_recovery_codes (
      user_id text not null references users (id),
      code_hash text not null,
      primary key (user_id, code_hash)
    )`,
  ],
}
