import {
  makeDatabase as makeAt,
  makeEmptyDatabase as makeEmptyAt,
  type ServerDatabase,
} from '../../../src/edges/storage/testing/server-databases.ts'

/** A new database on the test server, dropped at the end; null when the tests have no PostgreSQL. */
export async function makeDatabase(): Promise<ServerDatabase | null> {
  const serverUrl = process.env.TEST_DATABASE_URL
  return serverUrl ? makeAt(serverUrl) : null
}

/** The same with nothing in it, not even the schema. */
export async function makeEmptyDatabase(): Promise<ServerDatabase | null> {
  const serverUrl = process.env.TEST_DATABASE_URL
  return serverUrl ? makeEmptyAt(serverUrl) : null
}
