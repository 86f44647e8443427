import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { createSecretKeeper, type SecretKeeper } from '../../../rules/access/server-secret.ts'
import type { Database } from '../database.ts'
import { type NodeStorage, openStorage } from '../index.ts'
import type { Place } from '../open-database.ts'
import { openPostgres } from '../postgres.ts'
import { openSqlite } from '../sqlite.ts'

/** An empty place for one database, gone after `remove`. */
export interface Site {
  readonly dataFolder: string
  readonly databaseUrl: string | null
  /** The same database below the storage, with no schema made. */
  openDatabase(): Promise<Database>
  remove(): Promise<void>
}

export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL'
  makeSite(): Promise<Site>
}

export const SECRETS = createSecretKeeper('a server secret that only tests use')

export function openAt(site: Place, secrets: SecretKeeper = SECRETS): Promise<NodeStorage> {
  return openStorage({ databaseUrl: site.databaseUrl, dataFolder: site.dataFolder, secrets })
}

const sqlite: Engine = {
  name: 'SQLite',
  makeSite: async () => {
    const dataFolder = makeFolder()
    return {
      dataFolder,
      databaseUrl: null,
      openDatabase: () => openSqlite(join(dataFolder, 'turnpike.db')),
      remove: async () => rmSync(dataFolder, { recursive: true }),
    }
  },
}

function postgresAt(serverUrl: string): Engine {
  return {
    name: 'PostgreSQL',
    makeSite: async () => {
      const dataFolder = makeFolder()
      const name = `turnpike_test_${crypto.randomUUID().replaceAll('-', '')}`
      await administer(serverUrl, `create database ${name}`)
      const databaseUrl = new URL(serverUrl)
      databaseUrl.pathname = `/${name}`
      return {
        dataFolder,
        databaseUrl: databaseUrl.href,
        openDatabase: async () => openPostgres(databaseUrl.href),
        remove: async () => {
          rmSync(dataFolder, { recursive: true })
          await administer(serverUrl, `drop database ${name} with (force)`)
        },
      }
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

async function administer(serverUrl: string, statement: string): Promise<void> {
  const connection = new SQL(serverUrl, { max: 1 })
  try {
    await connection.unsafe(statement, [])
  } finally {
    await connection.close()
  }
}
