import type { Migration } from './migration.ts'

export const modelNames: Migration = {
  version: 28,
  name: 'model-names',
  statements: [
    `create table aliases (
      id text primary key,
      name text not null,
      models text not null,
      account_id text
    )`,
    `create table wildcards (
      id text primary key,
      pattern text not null,
      supplier_id text not null,
      upstream_model text,
      kinds text not null,
      price text,
      priority integer not null,
      enabled integer not null
    )`,
  ],
}
