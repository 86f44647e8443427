import { SQL } from 'bun'
import { openPostgres } from '../engines/postgres.ts'
import { MIGRATIONS, migrate } from '../migrations.ts'

/** A database on the test server. */
export interface ServerDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

/** A new database: with the schema, when this run of the tests has one to copy, else with nothing. */
export function makeDatabase(serverUrl: string): Promise<ServerDatabase> {
  return create(serverUrl, process.env.TEST_DATABASE_TEMPLATE || null)
}

/** A new database with nothing in it. */
export function makeEmptyDatabase(serverUrl: string): Promise<ServerDatabase> {
  return create(serverUrl, null)
}

/** A database with the schema and nothing else; a copy of it costs the server a quarter of a new schema. */
export async function makeTemplate(serverUrl: string): Promise<ServerDatabase> {
  const template = await create(serverUrl, null)
  const database = openPostgres(template.url)
  try {
    await migrate(database, MIGRATIONS)
  } catch (error) {
    await template.drop()
    throw error
  } finally {
    // A database that somebody is connected to cannot be copied.
    await database.close()
  }
  return template
}

async function create(serverUrl: string, template: string | null): Promise<ServerDatabase> {
  const name = `turnpike_test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(serverUrl, async (session) => {
    const source = template === null ? '' : ` template ${template}${await copyStrategy(session)}`
    await session.unsafe(`create database ${name}${source}`)
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    name,
    url: url.href,
    drop: () =>
      administer(serverUrl, async (session) => {
        await session.unsafe(`drop database ${name} with (force)`)
      }),
  }
}

/** Servers since version 15 write every page of a copy to their log unless they are told to copy files, as before. */
async function copyStrategy(session: SQL): Promise<string> {
  const [row] = await session.unsafe<[{ server_version_num: string }]>('show server_version_num')
  return Number(row.server_version_num) >= 150_000 ? ' strategy file_copy' : ''
}

async function administer(serverUrl: string, work: (session: SQL) => Promise<void>): Promise<void> {
  const session = new SQL(serverUrl, { max: 1 })
  try {
    await work(session)
  } finally {
    await session.close()
  }
}
