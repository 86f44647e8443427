import type { Migration } from './migration.ts'

export const refundsAndTiers: Migration = {
  version: 6,
  name: 'refunds-and-tiers',
  statements: [
    `create table refunds (
      id text primary key,
      account_id text not null references accounts (id),
      reference text not null,
      amount_nano bigint not null,
      reason text not null,
      at_ms bigint not null,
      unique (account_id, reference)
    )`,
    'create index payments_of_account on payments (account_id, at_ms, id)',

    // Earned tiers that were found not to be earned any more, and since when.
    `create table tier_doubts (
      account_id text primary key references accounts (id),
      since_ms bigint not null
    )`,

    // What must run once in a while, on whichever node, and when it last did.
    `create table scheduled_jobs (
      name text primary key,
      last_run_ms bigint not null
    )`,
  ],
}
