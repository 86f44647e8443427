import type { Migration } from './migration.ts'

/** What several nodes need to share one database. */
export const nodes: Migration = {
  version: 13,
  name: 'nodes',
  statements: [
    // Grows with every stored change of the configuration, so that a node can tell whether it knows the newest.
    `create table configuration_version (
      only_row integer primary key check (only_row = 1),
      version bigint not null
    )`,
    'insert into configuration_version (only_row, version) values (1, 1)',

    // Grows with every movement, so that of two balances told by different nodes the newer is known.
    'alter table account_balances add column version bigint not null default 0',
    'update account_balances set version = 1 where balance_nano <> 0 or total_paid_nano <> 0',

    // By the clock of the database, because those of the nodes may differ; only the start is told by the node.
    `create table nodes (
      id text primary key,
      name text not null,
      version text not null,
      started_at_ms bigint not null,
      heartbeat_at_ms bigint not null
    )`,
  ],
}
