import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecretKeeper, type SecretKeeper } from '../../../rules/access/server-secret.ts'
import type { Database } from '../engines/database.ts'
import type { Place } from '../engines/open-database.ts'
import { openPostgres } from '../engines/postgres.ts'
import { openSqlite } from '../engines/sqlite.ts'
import { type NodeStorage, openStorage } from '../index.ts'
import { makeDatabase, makeEmptyDatabase, type ServerDatabase } from './server-databases.ts'
import { layDatabase } from './sqlite-template.ts'

/** A place for one database that holds no data, gone after `remove`. */
export interface Site {
  readonly dataFolder: string
  readonly databaseUrl: string | null
  /** The same database below the storage, whose schema is not made by opening it. */
  openDatabase(): Promise<Database>
  remove(): Promise<void>
}

export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Its schema may be there already. */
  makeSite(): Promise<Site>
  /** There is nothing in it at all. */
  makeEmptySite(): Promise<Site>
}

export const SECRETS = createSecretKeeper('a server secret that only tests use')

export function openAt(site: Place, secrets: SecretKeeper = SECRETS): Promise<NodeStorage> {
  return openStorage({ databaseUrl: site.databaseUrl, dataFolder: site.dataFolder, secrets })
}

const sqlite: Engine = {
  name: 'SQLite',
  makeSite: async () => {
    const site = await makeSqliteSite()
    await layDatabase(site.dataFolder)
    return site
  },
  makeEmptySite: makeSqliteSite,
}

async function makeSqliteSite(): Promise<Site> {
  const dataFolder = makeFolder()
  return {
    dataFolder,
    databaseUrl: null,
    openDatabase: () => openSqlite(join(dataFolder, 'turnpike.db')),
    remove: async () => rmSync(dataFolder, { recursive: true }),
  }
}

function postgresAt(serverUrl: string): Engine {
  return {
    name: 'PostgreSQL',
    makeSite: async () => siteOf(await makeDatabase(serverUrl)),
    makeEmptySite: async () => siteOf(await makeEmptyDatabase(serverUrl)),
  }
}

function siteOf({ url, drop }: ServerDatabase): Site {
  const dataFolder = makeFolder()
  return {
    dataFolder,
    databaseUrl: url,
    openDatabase: async () => openPostgres(url),
    remove: async () => {
      rmSync(dataFolder, { recursive: true })
      await drop()
    },
  }
}

/** Both engines, or SQLite alone and a loud word about it when no PostgreSQL server is named. */
export function testedEngines(): readonly Engine[] {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl) return [sqlite, postgresAt(serverUrl)]
  console.warn(
    '!!! PostgreSQL is LEFT OUT of these tests: TEST_DATABASE_URL is not set. SQLite is tested alone.',
  )
  return [sqlite]
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'turnpike-storage-'))
}
