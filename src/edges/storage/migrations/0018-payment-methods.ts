import type { Migration } from './migration.ts'

export const paymentMethods: Migration = {
  version: 18,
  name: 'payment-methods',
  statements: [
    `create table payment_methods (
      id text primary key,
      name text not null,
      text text not null,
      link text,
      position integer not null,
      enabled integer not null
    )`,
  ],
}
