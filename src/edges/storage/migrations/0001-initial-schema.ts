import type { Migration } from './migration.ts'

// SQLite turns an integer that overflows into a float without a word; PostgreSQL refuses by itself.
const WITHIN_INT64 = 'between -9223372036854775807 and 9223372036854775807'

export const initialSchema: Migration = {
  version: 1,
  name: 'initial schema',
  statements: [
    `create table accounts (
      id text primary key,
      name text not null,
      email text,
      earned_tier text not null,
      tier_assignment text,
      credit_line_nano bigint,
      created_at_ms bigint not null
    )`,

    // Apart from accounts, so that no change of an account can touch what only ledger entries may move.
    `create table account_balances (
      account_id text primary key,
      balance_nano bigint not null check (balance_nano ${WITHIN_INT64}),
      total_paid_nano bigint not null check (total_paid_nano ${WITHIN_INT64})
    )`,

    `create table api_keys (
      id text primary key,
      account_id text not null references accounts (id),
      name text not null,
      state text not null,
      route_policy text not null,
      usage_limit text,
      rpm bigint,
      tpm bigint,
      model_allowlist text,
      budget text,
      expires_at_ms bigint,
      created_at_ms bigint not null
    )`,

    `create table key_secrets (
      fingerprint text primary key,
      key_id text not null references api_keys (id),
      position integer not null,
      last_four text not null,
      expires_at_ms bigint,
      unique (key_id, position)
    )`,

    `create table suppliers (
      id text primary key,
      type text not null,
      base_url text not null,
      formats text not null,
      source text not null,
      account_id text references accounts (id),
      enabled integer not null
    )`,

    `create table credentials (
      id text primary key,
      supplier_id text not null references suppliers (id),
      sealed_secret text not null,
      label text,
      rpm bigint,
      tpm bigint,
      weight double precision not null,
      state text not null
    )`,

    `create table models (
      id text primary key,
      owned_by text not null,
      display_name text not null,
      description text not null,
      kinds text not null,
      input_token_limit bigint,
      output_token_limit bigint,
      rpm bigint,
      tpm bigint,
      capabilities text not null,
      created_at_ms bigint not null
    )`,

    `create table routes (
      model_id text not null references models (id),
      supplier_id text not null references suppliers (id),
      upstream_model text not null,
      formats text,
      price text,
      rpm bigint,
      tpm bigint,
      priority integer not null,
      enabled integer not null,
      primary key (model_id, supplier_id)
    )`,

    `create table payments (
      id text primary key,
      account_id text not null references accounts (id),
      reference text not null,
      amount_nano bigint not null,
      note text,
      at_ms bigint not null,
      unique (account_id, reference)
    )`,

    // Append-only. The id is that of the payment, adjustment or refund, or the request id of a settlement;
    // the primary key keeps any of them from being entered twice.
    `create table ledger_entries (
      kind text not null check (kind in ('payment', 'settlement', 'refund', 'adjustment')),
      id text not null,
      account_id text not null,
      amount_nano bigint not null,
      request_id text,
      reference text,
      note text,
      at_ms bigint not null,
      primary key (kind, id)
    )`,

    // Without foreign keys: what happened is written down whatever became of the things it names.
    `create table settlements (
      request_id text primary key,
      account_id text not null,
      key_id text not null,
      model text not null,
      supplier text,
      credential_id text,
      client_format text not null,
      supplier_format text,
      stream integer not null,
      input_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_tokens bigint not null,
      output_tokens bigint not null,
      reasoning_tokens bigint not null,
      images bigint not null,
      provenance text not null,
      price text,
      amount_nano bigint not null,
      outcome text not null,
      attempts text not null,
      started_at_ms bigint not null,
      first_byte_ms bigint,
      duration_ms bigint not null
    )`,
    'create index settlements_by_time on settlements (started_at_ms, request_id)',
    'create index settlements_of_account on settlements (account_id, started_at_ms)',
    'create index settlements_of_key on settlements (key_id, started_at_ms)',
    'create index settlements_of_model on settlements (model, started_at_ms)',

    `create table key_daily_spend (
      key_id text not null,
      day integer not null,
      amount_nano bigint not null check (amount_nano ${WITHIN_INT64}),
      primary key (key_id, day)
    )`,

    `create table audit_events (
      id text primary key,
      at_ms bigint not null,
      actor text not null,
      action text not null,
      subject text not null,
      before_change text,
      after_change text
    )`,
    'create index audit_events_by_time on audit_events (at_ms, id)',
  ],
}
