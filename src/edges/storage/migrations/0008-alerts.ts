import type { Migration } from './migration.ts'

export const alerts: Migration = {
  version: 8,
  name: 'alerts',
  statements: [
    'alter table accounts add column balance_alert_nano bigint',

    // An occasion is said once, whoever notices it; where it is null, each time counts.
    `create table alerts (
      id text primary key,
      kind text not null,
      account_id text references accounts (id),
      subject text not null,
      occasion text unique,
      at_ms bigint not null,
      data text not null,
      delivery text not null check (delivery in ('none', 'pending', 'delivered', 'failed')),
      tries integer not null default 0,
      due_at_ms bigint,
      last_failure text
    )`,
    'create index alerts_by_time on alerts (at_ms, id)',
    'create index alerts_of_account on alerts (account_id, at_ms, id)',
    `create index alerts_due on alerts (due_at_ms) where delivery = 'pending'`,

    `create table alert_webhooks (
      account_id text primary key references accounts (id),
      url text not null,
      enabled integer not null,
      sealed_secret text not null,
      created_at_ms bigint not null
    )`,
  ],
}
