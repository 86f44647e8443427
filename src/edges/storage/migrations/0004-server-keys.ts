import type { Migration } from './migration.ts'

/** Keys of the server that outlive a change of its secret, each sealed under that secret. */
export const serverKeys: Migration = {
  version: 4,
  name: 'server-keys',
  statements: [
    `create table server_keys (
      name text primary key,
      sealed_key text not null
    )`,
  ],
}
