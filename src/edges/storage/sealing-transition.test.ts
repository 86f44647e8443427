import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  createSealer,
  createUnboundSealer,
  firstFingerprintKey,
  type Sealer,
} from '../../rules/access/server-secret.ts'
import type { KeptReply } from '../../serve/ports/state/reply-store.ts'
import { type BindingPace, type NodeStorage, openStorage, SealingTransition } from './index.ts'
import { rotateSecret } from './rotate-secret.ts'
import { SEALED_COLUMNS } from './tables/supply/sealed-columns.ts'
import { type Site, testedEngines } from './testing/engines.ts'
import { startHelper } from './testing/processes.ts'
import { ACCOUNT, auditEvent, CREDENTIAL, START_MS, SUPPLIER, WEBHOOK } from './testing/samples.ts'

const SECRET = 'the server secret of these tests'
const OTHER = { ...CREDENTIAL, id: 'cred_2', secret: 'sk-another-upstream-secret' }
const REPLIES = 12

const PACE: BindingPace = {
  pause: () => Promise.resolve(),
  isStopping: () => false,
  onUnopened: (error) => {
    throw error
  },
}

/** As a node of the version before seals and opens. */
const unbound = createUnboundSealer(SECRET)
const OLD_SEALER: Sealer = { seal: (plain) => unbound.seal(plain), open: (sealed) => unbound.open(sealed) }

for (const engine of testedEngines()) {
  describe(`binding sealed values to their rows on ${engine.name}`, () => {
    let site: Site
    let opened: NodeStorage[] = []
    beforeEach(async () => {
      site = await engine.makeSite()
    })
    afterEach(async () => {
      await Promise.all(opened.map((storage) => storage.close()))
      opened = []
      await site.remove()
    })

    async function open(secrets: Sealer, sealing?: SealingTransition): Promise<NodeStorage> {
      const { databaseUrl, dataFolder } = site
      const storage = await openStorage({ databaseUrl, dataFolder, secrets, ...(sealing && { sealing }) })
      opened.push(storage)
      return storage
    }

    async function start({ isAlone = true } = {}) {
      const sealing = new SealingTransition(isAlone)
      const secrets = createSealer(SECRET, sealing)
      const storage = await open(secrets, sealing)
      await storage.keepFingerprintKey(firstFingerprintKey(SECRET))
      return { storage, sealing }
    }

    async function close(storage: NodeStorage): Promise<void> {
      opened = opened.filter((other) => other !== storage)
      await storage.close()
    }

    /** A database as the version before has left it. */
    async function fill(): Promise<void> {
      const storage = await open(OLD_SEALER)
      await storage.keepFingerprintKey(firstFingerprintKey(SECRET))
      await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
      await storage.saveSupplier(SUPPLIER, auditEvent('evt_2'))
      await storage.saveCredential(CREDENTIAL, auditEvent('evt_3'))
      await storage.saveCredential(OTHER, auditEvent('evt_4'))
      await storage.saveWebhook(WEBHOOK, auditEvent('evt_5'))
      for (let number = 0; number < REPLIES; number += 1) {
        await storage.saveReply(aReply(number), new Map([[`item_${number}`, { number }]]))
      }
      await close(storage)
    }

    async function expectWhole(storage: NodeStorage): Promise<void> {
      expect((await storage.loadConfiguration()).credentials).toEqual([CREDENTIAL, OTHER])
      expect(await storage.findWebhook(ACCOUNT.id)).toEqual(WEBHOOK)
      for (let number = 0; number < REPLIES; number += 1) {
        expect(await storage.findReply(ACCOUNT.id, `resp_${number}`, START_MS)).toEqual(aReply(number))
      }
      const items = await storage.findReplyItems(ACCOUNT.id, ['item_1', 'item_2'], START_MS)
      expect([...items.values()]).toEqual([{ number: 1 }, { number: 2 }])
    }

    async function run<Row>(sql: string, parameters: readonly string[] = []): Promise<Row[]> {
      const database = await site.openDatabase()
      const rows = await database.rows<Row>(sql, parameters)
      await database.close()
      return rows
    }

    /** A node of the version before, which says nothing of how it seals. */
    async function addOldNode(): Promise<void> {
      const database = await site.openDatabase()
      await database.rows(
        `insert into nodes (id, name, version, started_at_ms, heartbeat_at_ms)
        values ('node_old', 'old', '1.0.0', 0, ${database.clockMs})`,
        [],
      )
      await database.close()
    }

    /** How many values of each form there are, by table. */
    async function forms(): Promise<Record<string, Record<string, number>>> {
      const found: Record<string, Record<string, number>> = {}
      for (const { table, column } of Object.values(SEALED_COLUMNS)) {
        const rows = await run<{ form: string; number: bigint }>(
          `select substr(${column}, 1, 2) as form, count(*) as number from ${table} group by 1`,
        )
        if (rows.length > 0) {
          found[table] = Object.fromEntries(rows.map(({ form, number }) => [form, Number(number)]))
        }
      }
      return found
    }

    const ALL_BOUND = {
      server_keys: { v2: 1 },
      credentials: { v2: 2 },
      alert_webhooks: { v2: 1 },
      kept_replies: { v2: REPLIES },
      kept_reply_items: { v2: REPLIES },
    }

    test('binds the few at the start and the many later, all of them readable on the way', async () => {
      await fill()
      const { storage, sealing } = await start()
      await expectWhole(storage)
      await storage.bindFewSeals(PACE)
      const many = { kept_replies: { v1: REPLIES }, kept_reply_items: { v1: REPLIES } }
      expect(await forms()).toEqual({ ...ALL_BOUND, ...many })
      await expectWhole(storage)
      expect(sealing.isDone).toBe(false)
      expect(await storage.bindAllSeals(PACE)).toBe(true)
      expect(await forms()).toEqual(ALL_BOUND)
      await expectWhole(storage)
      const { storage: next, sealing: later } = await start()
      expect(later.isDone).toBe(true)
      await expectWhole(next)
    })

    test('has nothing to do in a new database', async () => {
      const { storage, sealing } = await start()
      await storage.bindFewSeals(PACE)
      expect(sealing.isDone).toBe(true)
    })

    test('refuses the old form once a column is bound, and names the row', async () => {
      await fill()
      const [old] = await run<{ text: string }>(
        'select sealed_secret as text from credentials where id = $1',
        [OTHER.id],
      )
      const { storage } = await start()
      await storage.bindAllSeals(PACE)
      await run('update alert_webhooks set sealed_secret = $1', [old?.text ?? ''])
      await expect(storage.findWebhook(ACCOUNT.id)).rejects.toThrow(
        `alert_webhooks.sealed_secret of row ${ACCOUNT.id} cannot be opened: it has the old form`,
      )
    })

    test('opens no value that was moved to another row or table', async () => {
      await fill()
      const { storage } = await start()
      await storage.bindAllSeals(PACE)
      const values = await run<{ id: string; text: string }>(
        'select id, sealed_secret as text from credentials order by id',
      )
      const [one, other] = values.map(({ text }) => text)
      await run('update credentials set sealed_secret = $1 where id = $2', [other ?? '', CREDENTIAL.id])
      await run('update credentials set sealed_secret = $1 where id = $2', [one ?? '', OTHER.id])
      const failure = await storage.loadConfiguration().catch((error) => `${error} ${error.cause}`)
      expect(failure).toContain(`Credential ${CREDENTIAL.id} cannot be opened`)
      expect(failure).not.toContain(CREDENTIAL.secret)
      await run('update alert_webhooks set sealed_secret = $1', [one ?? ''])
      await expect(storage.findWebhook(ACCOUNT.id)).rejects.toThrow(`of row ${ACCOUNT.id} cannot be opened`)
      await run(
        `update kept_replies set sealed_content = (select sealed_content from kept_replies where id = 'resp_2')
        where id = 'resp_1'`,
      )
      await expect(storage.findReply(ACCOUNT.id, 'resp_1', START_MS)).rejects.toThrow(
        `kept_replies.sealed_content of row ${ACCOUNT.id} resp_1 cannot be opened`,
      )
    })

    test('continues after a process that was killed in the middle', async () => {
      await fill()
      const binder = startHelper('seal-binder', [SECRET, '9'], site)
      await binder.ready
      binder.kill()
      await binder.ended
      // The key, the credentials and the webhook, and some replies.
      expect((await forms()).kept_replies).toEqual({ v1: REPLIES - 5, v2: 5 })
      const { storage } = await start()
      await expectWhole(storage)
      expect(await storage.bindAllSeals(PACE)).toBe(true)
      expect(await forms()).toEqual(ALL_BOUND)
      await expectWhole(storage)
    })

    test('waits for nodes of the previous version, and writes what they can read', async () => {
      await fill()
      await addOldNode()
      const { storage } = await start({ isAlone: false })
      const record = { id: 'node_new', name: 'new', version: '1.1.0', startedAtMs: START_MS }
      await storage.saveHeartbeat(record, null)
      await storage.bindFewSeals(PACE)
      expect(await storage.bindAllSeals(PACE)).toBe(false)
      await storage.saveCredential({ ...OTHER, label: 'changed' }, auditEvent('evt_9'))
      expect((await forms()).credentials).toEqual({ v1: 2 })
      await storage.removeNode('node_old')
      // It writes bound values from here on, but the others have not heard so.
      expect(await storage.bindAllSeals(PACE)).toBe(false)
      await storage.saveHeartbeat(record, null)
      expect(await storage.bindAllSeals(PACE)).toBe(true)
      expect(await forms()).toEqual(ALL_BOUND)
    })

    test('skips and reports a value that cannot be decrypted, and binds the others', async () => {
      await fill()
      const stray = createUnboundSealer('a stray server secret of tests').seal('x')
      await run('update kept_replies set sealed_content = $1 where id = $2', [stray, 'resp_3'])
      const { storage } = await start()
      const reported: string[] = []
      const pace: BindingPace = { ...PACE, onUnopened: ({ message }) => reported.push(message) }
      expect(await storage.bindAllSeals(pace)).toBe(true)
      expect(reported).toEqual([
        expect.stringContaining(`kept_replies.sealed_content of row ${ACCOUNT.id} resp_3`),
      ])
      expect((await forms()).kept_replies).toEqual({ v1: 1, v2: REPLIES - 1 })
    })

    test('stops on request and continues later', async () => {
      await fill()
      const { storage } = await start()
      let bound = 0
      const pace: BindingPace = { ...PACE, isStopping: () => bound++ >= 6 }
      expect(await storage.bindAllSeals(pace)).toBe(false)
      expect((await forms()).kept_replies).toEqual({ v1: REPLIES - 2, v2: 2 })
      expect(await storage.bindAllSeals(PACE)).toBe(true)
    })

    test('several nodes at once bind everything once and lose nothing', async () => {
      await fill()
      const nodes = await Promise.all([start(), start(), start()])
      await Promise.all(nodes.map(({ storage }) => storage.bindAllSeals(PACE)))
      for (const { storage } of nodes) {
        expect(await storage.bindAllSeals(PACE)).toBe(true)
        await expectWhole(storage)
      }
      expect(await forms()).toEqual(ALL_BOUND)
    })

    test('rotating the secret binds unbound values and ends support for the old form', async () => {
      await fill()
      const newSecret = 'the next server secret of tests'
      const rotation = await rotateSecret({ ...site, oldSecret: SECRET, newSecret })
      expect(rotation).toMatchObject({ credentials: 2, replies: REPLIES })
      expect(await forms()).toEqual(ALL_BOUND)
      const sealing = new SealingTransition(true)
      const storage = await open(createSealer(newSecret, sealing), sealing)
      expect(sealing.isDone).toBe(true)
      await expectWhole(storage)
    })
  })
}

function aReply(number: number): KeptReply {
  return {
    id: `resp_${number}`,
    accountId: ACCOUNT.id,
    createdAtMs: START_MS,
    expiresAtMs: START_MS + 1,
    inputItems: [{ number }],
    reply: { id: `resp_${number}` },
  }
}
