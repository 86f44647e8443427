import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createSealer,
  createSecretKeeper,
  firstFingerprintKey,
  type SealedPlace,
} from '../../rules/access/server-secret.ts'
import type { KeptReply } from '../../serve/ports/state/reply-store.ts'
import type { SecondFactor, User } from '../../vocabulary/user.ts'
import { MIGRATIONS, migrate } from './migrations.ts'
import { type Rotation, rotateSecret } from './rotate-secret.ts'
import { SEALED_COLUMNS } from './tables/supply/sealed-columns.ts'
import { openAt, type Site, testedEngines } from './testing/engines.ts'
import { ACCOUNT, auditEvent, CREDENTIAL, KEY, START_MS, SUPPLIER, WEBHOOK } from './testing/samples.ts'

const OLD = 'the old server secret of tests'
const NEW = 'the new server secret of tests'
const API_KEY = 'sk-an-api-key-that-must-survive'
const USER: User = {
  id: 'usr_1',
  email: 'ada@example.com',
  name: 'Ada',
  isOperator: false,
  isDisabled: false,
  isEmailVerified: true,
  hasPassword: false,
  hasSecondFactor: true,
  outsideId: null,
  deviceGeneration: 0,
  createdAtMs: START_MS,
}
const FACTOR: SecondFactor = { userId: USER.id, secret: 'JBSWY3DPEHPK3PXP', isConfirmed: true, lastStep: 1 }
const WORDS = 'words only the client should read'
const CREDENTIAL_PLACE = { table: 'credentials', column: 'sealed_secret', id: CREDENTIAL.id }
const BODY = {
  accountId: ACCOUNT.id,
  requestId: 'req_1',
  createdAtMs: START_MS,
  request: WORDS,
  response: WORDS,
  isRequestCut: false,
  isResponseCut: false,
}

for (const engine of testedEngines()) {
  describe(`rotating the server secret on ${engine.name}`, () => {
    let site: Site
    beforeEach(async () => {
      site = await engine.makeSite()
    })
    afterEach(() => site.remove())

    const rotate = (oldSecret = OLD, newSecret = NEW): Promise<Rotation> =>
      rotateSecret({ ...site, oldSecret, newSecret })

    /** What a node does at its start. */
    async function startNode(secret: string) {
      const storage = await openAt(site, createSecretKeeper(secret))
      try {
        const kept = await storage.keepFingerprintKey(firstFingerprintKey(secret))
        return { storage, secrets: createSecretKeeper(secret, kept) }
      } catch (error) {
        await storage.close()
        throw error
      }
    }

    /** Everything that is sealed in the database, with where it is. */
    async function sealedValues(): Promise<{ text: string; place: SealedPlace }[]> {
      const database = await site.openDatabase()
      const values: { text: string; place: SealedPlace }[] = []
      for (const { table, column, key } of Object.values(SEALED_COLUMNS)) {
        const rows = await database.rows<Record<string, string>>(
          `select ${column}, ${key.join(', ')} from ${table}`,
          [],
        )
        for (const row of rows) {
          const id = key.map((name) => row[name] ?? '')
          values.push({ text: row[column] ?? '', place: { table, column, id } })
        }
      }
      await database.close()
      return values
    }

    const sealedTexts = async () => (await sealedValues()).map(({ text }) => text)

    async function fill(secret: string, replies = 3): Promise<void> {
      const { storage, secrets } = await startNode(secret)
      await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
      const fingerprint = secrets.fingerprint(API_KEY)
      const kept = { ...KEY, secrets: [{ fingerprint, lastFour: 'vive', expiresAtMs: null }] }
      await storage.saveKey(kept, auditEvent('evt_2'))
      await storage.saveSupplier(SUPPLIER, auditEvent('evt_3'))
      await storage.saveCredential(CREDENTIAL, auditEvent('evt_4'))
      await storage.saveWebhook(WEBHOOK, auditEvent('evt_5'))
      await storage.createUser({ user: USER, passwordHash: null, memberships: [] }, auditEvent('evt_6'))
      await storage.saveSecondFactor(FACTOR, [], null)
      await storage.saveBody(BODY)
      for (let number = 0; number < replies; number += 1) {
        await storage.saveReply(aReply(number), new Map([[`item_${number}`, { text: WORDS }]]))
      }
      await storage.close()
    }

    async function expectWhole(secret: string): Promise<void> {
      const { storage, secrets } = await startNode(secret)
      const { credentials, keys } = await storage.loadConfiguration()
      expect(credentials).toEqual([CREDENTIAL])
      expect(await storage.findWebhook(ACCOUNT.id)).toEqual(WEBHOOK)
      expect(await storage.findSecondFactor(USER.id)).toEqual(FACTOR)
      expect(await storage.findBody(ACCOUNT.id, BODY.requestId, 0)).toEqual(BODY)
      expect(keys[0]?.secrets[0]?.fingerprint).toBe(secrets.fingerprint(API_KEY))
      expect(await storage.findReply(ACCOUNT.id, 'resp_1', START_MS)).toEqual(aReply(1))
      const items = await storage.findReplyItems(ACCOUNT.id, ['item_1'], START_MS)
      expect(items.get('item_1')).toEqual({ text: WORDS })
      await storage.close()
    }

    test('keeps credentials, API keys and stored replies, and leaves nothing the old secret decrypts', async () => {
      await fill(OLD)
      await expectWhole(OLD)
      const replaced = await sealedTexts()
      expect(replaced).toHaveLength(11)
      expect(await rotate()).toEqual({
        isNew: true,
        credentials: 1,
        replies: 3,
        lostReplies: 0,
        isSwept: true,
      })
      await expectWhole(NEW)
      await expect(startNode(OLD)).rejects.toThrow('another TURNPIKE_SECRET')
      const [before, after] = [createSealer(OLD), createSealer(NEW)]
      for (const { text, place } of await sealedValues()) {
        expect(() => before.open(text, place)).toThrow()
        expect(() => after.open(text, place)).not.toThrow()
      }
      if (site.databaseUrl === null) expectNowhere(site.dataFolder, replaced)
    })

    test('no secret is in the database in clear, before or after', async () => {
      await fill(OLD)
      const secrets = [OLD, NEW, API_KEY, CREDENTIAL.secret, WEBHOOK.secret, WORDS, firstFingerprintKey(OLD)]
      const expectNone = async () => {
        const dump = await dumpOf(site)
        expect(dump).toContain(CREDENTIAL.id)
        for (const secret of secrets) expect(dump).not.toContain(secret)
        if (site.databaseUrl === null) expectNowhere(site.dataFolder, secrets)
      }
      await expectNone()
      await rotate()
      await expectNone()
    })

    test('repeatedly keeps the first fingerprint key', async () => {
      await fill(OLD)
      await rotate()
      await rotate(NEW, 'a third server secret of tests')
      await expectWhole('a third server secret of tests')
    })

    test('a second time with the same secrets changes nothing and says so', async () => {
      await fill(OLD)
      await rotate()
      const sealed = await sealedTexts()
      expect((await rotate()).isNew).toBe(false)
      expect(await sealedTexts()).toEqual(sealed)
    })

    test('from a secret that is not the one in use changes nothing', async () => {
      await fill(OLD)
      await expect(rotate('not the secret that was used')).rejects.toThrow('another TURNPIKE_SECRET')
      await expectWhole(OLD)
    })

    test('is all or nothing: one credential that cannot be decrypted leaves everything unchanged', async () => {
      await fill(OLD)
      const stray = createSealer('a stray server secret of tests').seal('x', CREDENTIAL_PLACE)
      await write(site, 'update credentials set sealed_secret = $1', [stray])
      await expect(rotate()).rejects.toThrow(`credentials ${CREDENTIAL.id} does not open`)
      await write(site, 'update credentials set sealed_secret = $1', [
        createSealer(OLD).seal(CREDENTIAL.secret, CREDENTIAL_PLACE),
      ])
      await expectWhole(OLD)
    })

    test('replies that cannot be decrypted are deleted with their items and counted', async () => {
      await fill(OLD)
      const stray = createSealer('a stray server secret of tests').seal('x', CREDENTIAL_PLACE)
      await write(site, 'update kept_replies set sealed_content = $1 where id = $2', [stray, 'resp_0'])
      expect(await rotate()).toMatchObject({ replies: 2, lostReplies: 1 })
      await expectWhole(NEW)
      expect(await sealedTexts()).toHaveLength(9)
    })

    test('goes through any number of replies', async () => {
      await fill(OLD, 405)
      expect((await rotate()).replies).toBe(405)
      await expectWhole(NEW)
    })

    test('a database from before stored fingerprint keys gets its key, then the new secret', async () => {
      await site.remove()
      site = await engine.makeEmptySite()
      const database = await site.openDatabase()
      await migrate(
        database,
        MIGRATIONS.filter(({ version }) => version < 4),
      )
      await database.close()
      await fill(OLD)
      await write(site, 'delete from server_keys', [])
      await rotate()
      await expectWhole(NEW)
    })

    test('a first start with a wrong secret leaves no key behind', async () => {
      await fill(OLD)
      await write(site, 'delete from server_keys', [])
      await expect(startNode(NEW)).rejects.toThrow(CREDENTIAL.id)
      await expectWhole(OLD)
    })

    test('nodes that start together agree on one key', async () => {
      const nodes = await Promise.all(Array.from({ length: 4 }, () => startNode(OLD)))
      const prints = nodes.map(({ secrets }) => secrets.fingerprint('sk-x'))
      expect(new Set(prints).size).toBe(1)
      for (const { storage } of nodes) await storage.close()
    })

    // With SQLite it is the lock of the data folder that keeps the two apart.
    if (engine.name === 'PostgreSQL') {
      test('is refused while a node is connected', async () => {
        await fill(OLD)
        const { storage } = await startNode(OLD)
        await expect(rotate()).rejects.toThrow('stop every node first')
        await storage.close()
        await expectWhole(OLD)
      })
    }

    test('every sealed column is on the list of columns to re-encrypt', async () => {
      await (await openAt(site)).close()
      const known = Object.values(SEALED_COLUMNS).map(({ table, column }) => `${table}.${column}`)
      expect((await sealedColumnsOf(site)).toSorted()).toEqual(known.toSorted())
    })
  })
}

function aReply(number: number): KeptReply {
  return {
    id: `resp_${number}`,
    accountId: ACCOUNT.id,
    createdAtMs: START_MS,
    expiresAtMs: START_MS + 1,
    inputItems: [{ text: WORDS }],
    reply: { id: `resp_${number}`, output: WORDS },
  }
}

async function write(site: Site, sql: string, parameters: readonly string[]): Promise<void> {
  const database = await site.openDatabase()
  await database.rows(sql, parameters)
  await database.close()
}

/** Not even in pages that SQLite no longer uses. */
function expectNowhere(folder: string, texts: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name))
    for (const text of texts) expect([name, bytes.includes(text)]).toEqual([name, false])
  }
}

async function tablesOf(site: Site): Promise<{ table_name: string; column_name: string }[]> {
  const database = await site.openDatabase()
  const rows = await database.rows<{ table_name: string; column_name: string }>(
    site.databaseUrl === null
      ? `select tables.name as table_name, columns.name as column_name
        from sqlite_schema as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table'`
      : `select table_name, column_name from information_schema.columns where table_schema = 'public'`,
    [],
  )
  await database.close()
  return rows
}

async function sealedColumnsOf(site: Site): Promise<string[]> {
  const columns = await tablesOf(site)
  return columns
    .filter(({ column_name }) => column_name.startsWith('sealed'))
    .map(({ table_name, column_name }) => `${table_name}.${column_name}`)
}

async function dumpOf(site: Site): Promise<string> {
  const tables = new Set((await tablesOf(site)).map(({ table_name }) => table_name))
  const database = await site.openDatabase()
  let dump = ''
  for (const table of tables) {
    const rows = await database.rows<Record<string, unknown>>(`select * from ${table}`, [])
    dump += rows.map((row) => Object.values(row).map(String).join('\n')).join('\n')
  }
  await database.close()
  return dump
}
