import type { Migration } from './migration.ts'

/** Who created a key is read from the audit events, in which it stands since the first version. */
export const people: Migration = {
  version: 31,
  name: 'people',
  statements: [
    `create index audit_events_of_created_key on audit_events (subject) where action = 'key.created'`,

    // Open ones only: one that is accepted or revoked is deleted, and the audit tells of it.
    `create table account_invites (
      id text primary key,
      account_id text not null references accounts (id),
      email text,
      role text not null,
      token_hash text not null unique,
      created_by text not null,
      created_at_ms bigint not null,
      expires_at_ms bigint not null
    )`,
    'create index account_invites_of_account on account_invites (account_id, created_at_ms)',

    // One for each user at most.
    `create table password_resets (
      user_id text primary key references users (id),
      token_hash text not null unique,
      expires_at_ms bigint not null
    )`,
  ],
}
