import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../src/cli/command.ts'
import { createLedgerCommand } from '../../src/cli/commands/ledger.ts'
import { createBackupCommand, createRestoreCommand } from '../../src/cli/commands/local/backup.ts'
import type { Environment } from '../../src/edges/settings/read-settings.ts'
import { makeEmptyDatabase, type ServerDatabase } from '../../src/edges/storage/testing/server-databases.ts'
import { chat } from '../support/chat.ts'
import { BOOTSTRAP_KEY, makeDataFolder, removeDataFolder, startTestGateway } from '../support/test-gateway.ts'

const SECRET = 'server-secret-for-tests'
const SERVER = process.env.TEST_DATABASE_URL || null

let root: string
beforeAll(() => {
  root = makeDataFolder()
})
afterAll(() => removeDataFolder(root))

type Create = typeof createBackupCommand

async function type(create: Create, environment: Environment, ...words: string[]) {
  let printed = ''
  const terminal = {
    print: (text: string) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  }
  const status = await create(environment).run([...words, '--json'], terminal)
  return { status, facts: JSON.parse(printed) }
}

function folderOf(name: string): string {
  const folder = join(root, name)
  mkdirSync(folder)
  return folder
}

/** A backup that was made while requests were served, and how many had been settled before it began. */
async function backUpUnderTraffic(dataFolder: string, environment: Record<string, string>) {
  const gateway = await startTestGateway({ dataFolder, environment })
  const ask = () => chat(gateway.url, {}, { key: BOOTSTRAP_KEY })
  const file = join(root, `${crypto.randomUUID()}.backup`)
  try {
    for (let count = 0; count < 5; count++) await ask()
    let isDone = false
    const traffic = (async () => {
      while (!isDone) await Promise.all([ask(), ask()])
    })()
    const here = { TURNPIKE_DATA: dataFolder, TURNPIKE_SECRET: SECRET, ...environment }
    const { facts } = await type(createBackupCommand, here, file)
    isDone = true
    await traffic
    return { file, facts, inUse: await refusalOf(type(createRestoreCommand, here, file, '--force')) }
  } finally {
    await gateway.stop()
  }
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown)
  return error instanceof Error ? error.message : 'it was done'
}

/** How many settlements there are, in the database and, not stored yet, in the journal. */
async function verify(environment: Environment): Promise<number> {
  const { status, facts } = await type(createLedgerCommand, environment, 'verify', '--offline')
  expect([status, facts.difference]).toEqual([0, null])
  return facts.checked.settlements + facts.waiting
}

describe('a backup of SQLite', () => {
  test('is made while requests are served, and restores a ledger that is consistent', async () => {
    const dataFolder = folderOf('sqlite')
    writeFileSync(join(dataFolder, 'server-secret'), `${SECRET}\n`)
    const { file, facts, inUse } = await backUpUnderTraffic(dataFolder, {})
    expect(inUse).toContain('a folder that no other running gateway uses')
    expect(facts).toMatchObject({ engine: 'sqlite', has_server_secret: true })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const there = { TURNPIKE_DATA: join(root, 'restored') }
    const restored = await type(createRestoreCommand, there, file)
    expect(restored.facts.files).toContain('server-secret')
    expect(readdirSync(there.TURNPIKE_DATA)).toEqual(expect.arrayContaining(['server-secret', 'turnpike.db']))
    expect(await verify(there)).toBeGreaterThanOrEqual(5)
    // The secret in the folder opens what is sealed, and the journal is taken over.
    const gateway = await startTestGateway({
      dataFolder: there.TURNPIKE_DATA,
      environment: { TURNPIKE_SECRET: '' },
    })
    try {
      expect((await chat(gateway.url, {}, { key: BOOTSTRAP_KEY })).status).toBe(200)
      expect(await gateway.operator<object>('GET', '/ledger/verify')).toMatchObject({ difference: null })
    } finally {
      await gateway.stop()
    }
    const again = type(createRestoreCommand, there, file)
    await expect(again).rejects.toThrow('is not empty; --force replaces what is in it')
    expect((await type(createRestoreCommand, there, file, '--force')).status).toBe(0)
    await verify(there)
  })

  test('overwrites nothing, and refuses a file that is no backup', async () => {
    const file = join(root, 'other')
    writeFileSync(file, 'precious')
    const environment = { TURNPIKE_DATA: join(root, 'nowhere') }
    await expect(type(createBackupCommand, environment, file)).rejects.toThrow('there is no database in')
    await expect(type(createRestoreCommand, environment, file)).rejects.toThrow('is no backup')
    await expect(type(createRestoreCommand, environment, join(root, 'absent'))).rejects.toBeInstanceOf(
      UsageError,
    )
    expect(existsSync(environment.TURNPIKE_DATA)).toBe(false)
  })
})

describe.if(SERVER !== null)('a backup of PostgreSQL', () => {
  const databases: ServerDatabase[] = []
  const makeServer = async () => {
    const database = await makeEmptyDatabase(SERVER ?? '')
    databases.push(database)
    return database.url
  }
  afterAll(() => Promise.all(databases.map((database) => database.drop())))

  test('is made while requests are served, and restores to a server and to SQLite', async () => {
    const { file, facts, inUse } = await backUpUnderTraffic(folderOf('nodes'), {
      DATABASE_URL: await makeServer(),
    })
    expect(facts.engine).toBe('postgresql')
    expect(inUse).toMatch(/stop every node first|no other running gateway/)
    const secret = { TURNPIKE_SECRET: SECRET }
    const server = { ...secret, TURNPIKE_DATA: join(root, 'new-node'), DATABASE_URL: await makeServer() }
    expect((await type(createRestoreCommand, server, file)).status).toBe(0)
    const counted = await verify(server)
    expect(counted).toBeGreaterThanOrEqual(5)
    const elsewhere = { ...server, TURNPIKE_DATA: join(root, 'another-node') }
    await expect(type(createRestoreCommand, elsewhere, file)).rejects.toThrow('has accounts; --force')
    expect((await type(createRestoreCommand, elsewhere, file, '--force')).status).toBe(0)
    const embedded = { ...secret, TURNPIKE_DATA: join(root, 'from-server') }
    expect((await type(createRestoreCommand, embedded, file)).status).toBe(0)
    expect(await verify(embedded)).toBe(counted)
  })
})
