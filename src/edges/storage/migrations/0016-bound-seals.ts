import type { Migration } from './migration.ts'

/** What binding sealed values to their rows needs to know, and what makes known devices unknown again. */
export const boundSeals: Migration = {
  version: 16,
  name: 'bound-seals',
  statements: [
    // A column that is in here holds no value that was sealed before values were bound to their rows.
    `create table sealed_columns (
      table_name text not null,
      column_name text not null,
      bound_at_ms bigint not null,
      primary key (table_name, column_name)
    )`,
    // Whether a node writes bound values (2), reads them (1), or is of a version that knows none (0).
    'alter table nodes add column sealing integer not null default 0',

    // Grows when a user's devices are to be forgotten.
    'alter table users add column device_generation bigint not null default 0',
  ],
}
