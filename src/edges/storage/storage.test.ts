import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Page } from '../../manage/ports/page.ts'
import type { Storage } from '../../manage/ports/storage.ts'
import { createSecretKeeper } from '../../rules/access/server-secret.ts'
import { openStorage } from './index.ts'
import { balanceDifferenceAt } from './testing/balance-difference.ts'
import { openAt, SECRETS, type Site, testedEngines } from './testing/engines.ts'
import {
  ACCOUNT,
  auditEvent,
  CREDENTIAL,
  HUGE_NANO,
  KEY,
  MODEL,
  PAYMENT,
  ROUTE,
  START_MS,
  SUPPLIER,
  settlement,
  settlements,
} from './testing/samples.ts'

const DAY_MS = 86_400_000
const FIRST_PAGE: Page = { limit: 100, cursor: null }

const engines = testedEngines()

for (const engine of engines) {
  describe(`storage on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    async function saveEverything() {
      await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
      await storage.saveKey(KEY, auditEvent('evt_2'))
      await storage.saveSupplier(SUPPLIER, auditEvent('evt_3'))
      await storage.saveCredential(CREDENTIAL, auditEvent('evt_4'))
      await storage.saveModel(MODEL, auditEvent('evt_5'))
      await storage.saveRoute(ROUTE, auditEvent('evt_6'))
    }

    async function listedEventIds() {
      return (await storage.listAuditEvents(FIRST_PAGE)).data.map(({ id }) => id)
    }

    describe('configuration', () => {
      test('is empty at first', async () => {
        expect(await storage.loadConfiguration()).toEqual({
          version: 1,
          accounts: [],
          keys: [],
          suppliers: [],
          credentials: [],
          models: [],
          routes: [],
          markUps: [],
          aliases: [],
          wildcards: [],
          tiers: [],
        })
      })

      test('comes back exactly as it was saved, also after opening again', async () => {
        await saveEverything()
        const expected = {
          version: 7,
          accounts: [ACCOUNT],
          keys: [KEY],
          suppliers: [SUPPLIER],
          credentials: [CREDENTIAL],
          models: [MODEL],
          routes: [ROUTE],
          markUps: [],
          aliases: [],
          wildcards: [],
          tiers: [],
        }
        expect(await storage.loadConfiguration()).toEqual(expected)
        await storage.close()
        storage = await openAt(site)
        expect(await storage.loadConfiguration()).toEqual(expected)
      })

      test('keeps optional values empty and whole weights', async () => {
        const account = { ...ACCOUNT, email: null, tierAssignment: null, creditLineNano: null }
        const key = {
          ...KEY,
          routePolicy: { mode: 'intelligent' as const },
          usageLimit: null,
          rpm: null,
          tpm: null,
          modelAllowlist: null,
          budget: null,
          expiresAtMs: null,
          secrets: [],
        }
        const supplier = { ...SUPPLIER, source: 'shared' as const, accountId: null, enabled: false }
        const credential = { ...CREDENTIAL, label: 'main', weight: 3, state: 'disabled' as const }
        const route = { ...ROUTE, formats: ['messages' as const], price: null, enabled: true }
        await storage.saveAccount(account, auditEvent('evt_1'))
        await storage.saveKey(key, auditEvent('evt_2'))
        await storage.saveSupplier(supplier, auditEvent('evt_3'))
        await storage.saveCredential(credential, auditEvent('evt_4'))
        await storage.saveModel(MODEL, auditEvent('evt_5'))
        await storage.saveRoute(route, auditEvent('evt_6'))
        expect(await storage.loadConfiguration()).toEqual({
          version: 7,
          accounts: [account],
          keys: [key],
          suppliers: [supplier],
          credentials: [credential],
          models: [MODEL],
          routes: [route],
          markUps: [],
          aliases: [],
          wildcards: [],
          tiers: [],
        })
      })

      test('is replaced by saving again', async () => {
        await saveEverything()
        const account = { ...ACCOUNT, name: 'other', email: null, tierAssignment: null }
        const supplier = { ...SUPPLIER, baseUrl: 'http://127.0.0.1:1/v1' }
        const credential = { ...CREDENTIAL, secret: 'sk-second', weight: 2 }
        const model = { ...MODEL, description: 'Another.' }
        const route = { ...ROUTE, enabled: true }
        await storage.saveAccount(account, auditEvent('evt_11'))
        await storage.saveSupplier(supplier, auditEvent('evt_12'))
        await storage.saveCredential(credential, auditEvent('evt_13'))
        await storage.saveModel(model, auditEvent('evt_14'))
        await storage.saveRoute(route, auditEvent('evt_15'))
        expect(await storage.loadConfiguration()).toEqual({
          version: 12,
          accounts: [account],
          keys: [KEY],
          suppliers: [supplier],
          credentials: [credential],
          models: [model],
          routes: [route],
          markUps: [],
          aliases: [],
          wildcards: [],
          tiers: [],
        })
      })

      test('a saved key has exactly the secrets it was saved with, in their order', async () => {
        await saveEverything()
        const [newest] = KEY.secrets
        if (newest === undefined) throw new Error('the sample key has secrets')
        const rotated = { fingerprint: 'mmm-rotated', lastFour: 'mmmm', expiresAtMs: null }
        const key = { ...KEY, secrets: [rotated, { ...newest, expiresAtMs: START_MS + 5 }] }
        await storage.saveKey(key, auditEvent('evt_7'))
        expect((await storage.loadConfiguration()).keys).toEqual([key])
      })

      test('a deleted credential is gone', async () => {
        await saveEverything()
        await storage.deleteCredential(CREDENTIAL.id, auditEvent('evt_7'))
        expect((await storage.loadConfiguration()).credentials).toEqual([])
        expect(await listedEventIds()).toContain('evt_7')
      })

      test('a change and its audit event are stored together or not at all', async () => {
        await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
        const renamed = { ...ACCOUNT, name: 'renamed' }
        await expect(storage.saveAccount(renamed, auditEvent('evt_1'))).rejects.toThrow()
        const orphan = { ...KEY, accountId: 'acc_unknown' }
        await expect(storage.saveKey(orphan, auditEvent('evt_2'))).rejects.toThrow()
        expect((await storage.loadConfiguration()).accounts).toEqual([ACCOUNT])
        expect(await listedEventIds()).toEqual(['evt_1'])
      })

      test('a credential stored under another server secret is named without showing its secret', async () => {
        await saveEverything()
        await storage.close()
        storage = await openAt(site, createSecretKeeper('another server secret altogether'))
        const failure = await storage.loadConfiguration().catch((error: unknown) => error)
        expect(String(failure)).toContain(CREDENTIAL.id)
        expect(String(failure)).toContain('TURNPIKE_SECRET')
        expect(String(failure)).not.toContain(CREDENTIAL.secret)
      })
    })

    describe('money', () => {
      beforeEach(() => storage.saveAccount(ACCOUNT, auditEvent('evt_0')))

      async function balance(accountId = ACCOUNT.id) {
        return (await storage.loadBalances()).get(accountId)
      }

      test('a payment raises balance and total paid', async () => {
        const recorded = await storage.recordPayment(PAYMENT, auditEvent('evt_1'))
        expect(recorded).toEqual({ payment: PAYMENT, isNew: true })
        expect(await balance()).toBe(PAYMENT.amountNano)
        const { accounts } = await storage.loadConfiguration()
        expect(accounts).toEqual([{ ...ACCOUNT, totalPaidNano: PAYMENT.amountNano }])
        expect(await balanceDifferenceAt(site)).toBeNull()
      })

      test('a repeated reference returns the first payment and changes nothing', async () => {
        await storage.recordPayment(PAYMENT, auditEvent('evt_1'))
        const again = { ...PAYMENT, id: 'pay_2', amountNano: 1n, note: null, atMs: START_MS + 5 }
        const recorded = await storage.recordPayment(again, auditEvent('evt_2'))
        expect(recorded).toEqual({ payment: PAYMENT, isNew: false })
        expect(await balance()).toBe(PAYMENT.amountNano)
        expect(await listedEventIds()).toEqual(['evt_1', 'evt_0'])
      })

      test('the same reference on another account is another payment', async () => {
        await storage.saveAccount({ ...ACCOUNT, id: 'acc_2' }, auditEvent('evt_1'))
        await storage.recordPayment(PAYMENT, auditEvent('evt_2'))
        const other = { ...PAYMENT, id: 'pay_2', accountId: 'acc_2' }
        expect((await storage.recordPayment(other, auditEvent('evt_3'))).isNew).toBe(true)
        expect(await balance('acc_2')).toBe(PAYMENT.amountNano)
      })

      test('twenty payments at once with one reference are one payment', async () => {
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            storage.recordPayment({ ...PAYMENT, id: `pay_${index}` }, auditEvent(`evt_p${index}`)),
          ),
        )
        expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
        expect(new Set(results.map(({ payment }) => payment.id)).size).toBe(1)
        expect(await balance()).toBe(PAYMENT.amountNano)
        expect(await listedEventIds()).toHaveLength(2)
        expect(await balanceDifferenceAt(site)).toBeNull()
      })

      test('an adjustment moves the balance either way and leaves total paid alone', async () => {
        const adjustment = {
          id: 'adj_1',
          accountId: ACCOUNT.id,
          amountNano: -7n,
          reference: null,
          reason: 'x',
          atMs: START_MS,
        }
        await storage.recordAdjustment(adjustment, auditEvent('evt_1'))
        expect(await balance()).toBe(-7n)
        await storage.recordAdjustment({ ...adjustment, id: 'adj_2', amountNano: 10n }, auditEvent('evt_2'))
        expect(await balance()).toBe(3n)
        expect((await storage.loadConfiguration()).accounts).toEqual([ACCOUNT])
        expect(await balanceDifferenceAt(site)).toBeNull()
      })

      test('saving an account leaves balance and total paid alone', async () => {
        await storage.recordPayment(PAYMENT, auditEvent('evt_1'))
        await storage.saveAccount({ ...ACCOUNT, totalPaidNano: 1n }, auditEvent('evt_2'))
        expect(await balance()).toBe(PAYMENT.amountNano)
        const { accounts } = await storage.loadConfiguration()
        expect(accounts[0]?.totalPaidNano).toBe(PAYMENT.amountNano)
      })

      test('amounts beyond 2^53 stay exact, and an overflow changes nothing', async () => {
        const huge = { ...PAYMENT, amountNano: 2n ** 63n - 1n - HUGE_NANO }
        await storage.recordPayment(huge, auditEvent('evt_1'))
        await storage.recordPayment(
          { ...PAYMENT, id: 'pay_2', reference: 'b', amountNano: HUGE_NANO },
          auditEvent('evt_2'),
        )
        expect(await balance()).toBe(2n ** 63n - 1n)
        const one = { ...PAYMENT, id: 'pay_3', reference: 'c', amountNano: 1n }
        await expect(storage.recordPayment(one, auditEvent('evt_3'))).rejects.toThrow()
        expect(await balance()).toBe(2n ** 63n - 1n)
        expect(await balanceDifferenceAt(site)).toBeNull()
      })

      test('detects a balance that is not the sum of its entries', async () => {
        await storage.recordPayment(PAYMENT, auditEvent('evt_1'))
        const database = await site.openDatabase()
        await database.rows('update account_balances set balance_nano = balance_nano + 1', [])
        await database.close()
        expect(await balanceDifferenceAt(site)).toBe(
          'Account acc_1 has a balance of 12.500000001, but its ledger entries sum to 12.5.',
        )
      })
    })

    describe('settlements', () => {
      beforeEach(() => storage.saveAccount(ACCOUNT, auditEvent('evt_0')))

      test('come back exactly as written', async () => {
        const full = settlement({ requestId: 'req_full', amountNano: HUGE_NANO })
        const bare = settlement({
          requestId: 'req_bare',
          supplier: null,
          credentialId: null,
          supplierFormat: null,
          stream: false,
          price: null,
          amountNano: 0n,
          outcome: 'interrupted',
          attempts: [],
          firstByteMs: null,
        })
        await storage.writeSettlements([full, bare])
        expect(await storage.findSettlement('req_full')).toEqual(full)
        expect(await storage.findSettlement('req_bare')).toEqual(bare)
        expect(await storage.findSettlement('req_none')).toBeNull()
        expect(await storage.findSettlement('req\0')).toBeNull()
      })

      test('lower the balance and are the spend of their key', async () => {
        await storage.recordPayment(PAYMENT, auditEvent('evt_1'))
        await storage.writeSettlements(settlements(3, { amountNano: 5n }))
        expect((await storage.loadBalances()).get(ACCOUNT.id)).toBe(PAYMENT.amountNano - 15n)
        expect(await storage.loadDailySpends(null)).toEqual([
          { keyId: KEY.id, day: Math.floor(START_MS / DAY_MS), amountNano: 15n },
        ])
        expect(await balanceDifferenceAt(site)).toBeNull()
      })

      // Many are written in another way than few.
      test.each([5, 300])('written again, alone or among others, count once: %i', async (count) => {
        const batch = settlements(count, { amountNano: 5n })
        await storage.writeSettlements([])
        await storage.writeSettlements(batch.slice(0, count / 2 + 1))
        await storage.writeSettlements(batch)
        await storage.writeSettlements(batch)
        const spentNano = 5n * BigInt(count)
        expect((await storage.loadBalances()).get(ACCOUNT.id)).toBe(-spentNano)
        expect((await storage.loadDailySpends(KEY.id))[0]?.amountNano).toBe(spentNano)
        expect(await balanceDifferenceAt(site)).toBeNull()
      })

      test('twice in one batch count once, and the first is kept', async () => {
        const [first, second] = [settlement({ amountNano: 5n }), settlement({ amountNano: 7n })]
        await storage.writeSettlements([first, second, first])
        expect(await storage.findSettlement(first.requestId)).toEqual(first)
        expect((await storage.loadBalances()).get(ACCOUNT.id)).toBe(-5n)
      })

      test('in a batch larger than any one statement are all there', async () => {
        await storage.writeSettlements(settlements(333, { amountNano: 3n }))
        expect((await storage.loadBalances()).get(ACCOUNT.id)).toBe(-999n)
        const { data } = await storage.listSettlements({}, { limit: 1000, cursor: null })
        expect(data).toHaveLength(333)
      })

      test('written by many at once, in any order, count once and never deadlock', async () => {
        const accounts = ['acc_1', 'acc_2', 'acc_3']
        const batch = settlements(60).map((one, index) => ({
          ...one,
          accountId: accounts[index % 3] ?? '',
          keyId: `key_${index % 7}`,
        }))
        const backwards = batch.toReversed()
        const other = await openAt(site)
        await Promise.all(
          [storage, other, storage, other].map((writer, index) =>
            writer.writeSettlements(index % 2 === 0 ? batch : backwards),
          ),
        )
        await other.close()
        expect([...(await storage.loadBalances()).values()]).toEqual([-20_000n, -20_000n, -20_000n])
        expect(await balanceDifferenceAt(site)).toBeNull()
      })

      test('belong to the UTC day in which they ended', async () => {
        const midnight = Date.UTC(2026, 0, 16)
        const day = midnight / DAY_MS
        await storage.writeSettlements([
          settlement({ requestId: 'req_a', startedAtMs: midnight - 1000, durationMs: 999, amountNano: 1n }),
          settlement({ requestId: 'req_b', startedAtMs: midnight - 1000, durationMs: 1000, amountNano: 2n }),
          settlement({ requestId: 'req_c', startedAtMs: midnight, keyId: 'key_2', amountNano: 4n }),
        ])
        expect(await storage.loadDailySpends(null)).toEqual([
          { keyId: 'key_1', day: day - 1, amountNano: 1n },
          { keyId: 'key_1', day, amountNano: 2n },
          { keyId: 'key_2', day, amountNano: 4n },
        ])
        expect(await storage.loadDailySpends('key_2')).toEqual([{ keyId: 'key_2', day, amountNano: 4n }])
      })

      test('with fractions of a millisecond are stored in whole ones', async () => {
        await storage.writeSettlements([settlement({ durationMs: 900.6, firstByteMs: 12.4 })])
        const found = await storage.findSettlement('req_1')
        expect([found?.durationMs, found?.firstByteMs]).toEqual([901, 12])
      })

      test('without cost move no money and appear in no ledger', async () => {
        await storage.writeSettlements([settlement({ amountNano: 0n })])
        expect((await storage.loadBalances()).get(ACCOUNT.id)).toBe(0n)
        expect(await storage.loadDailySpends(null)).toEqual([])
      })
    })

    describe('listings', () => {
      async function idsOfAllPages(filter: Parameters<Storage['listSettlements']>[0], limit: number) {
        const pages: string[][] = []
        let cursor: string | null = null
        do {
          const page: Awaited<ReturnType<Storage['listSettlements']>> = await storage.listSettlements(
            filter,
            {
              limit,
              cursor,
            },
          )
          pages.push(page.data.map(({ requestId }) => requestId))
          cursor = page.nextCursor
        } while (cursor !== null)
        return pages
      }

      test('settlements are paged newest first, none twice and none left out', async () => {
        const sameTime = { startedAtMs: START_MS }
        await storage.writeSettlements(
          settlements(5).map((one, i) => (i < 3 ? { ...one, ...sameTime } : one)),
        )
        expect(await idsOfAllPages({}, 2)).toEqual([
          ['req_004', 'req_003'],
          ['req_002', 'req_001'],
          ['req_000'],
        ])
        expect(await idsOfAllPages({}, 5)).toEqual([['req_004', 'req_003', 'req_002', 'req_001', 'req_000']])
      })

      test('settlements can be filtered by account, key, model and time', async () => {
        await storage.writeSettlements([
          ...settlements(4),
          settlement({ requestId: 'req_a', accountId: 'acc_2', keyId: 'key_2', model: 'm2' }),
          settlement({ requestId: 'req_b', accountId: 'acc_2', keyId: 'key_3', model: 'm2' }),
        ])
        expect(await idsOfAllPages({ accountId: 'acc_2' }, 9)).toEqual([['req_b', 'req_a']])
        expect(await idsOfAllPages({ keyId: 'key_3' }, 9)).toEqual([['req_b']])
        expect(await idsOfAllPages({ model: 'm2', keyId: 'key_2' }, 9)).toEqual([['req_a']])
        expect(await idsOfAllPages({ fromMs: START_MS + 1, toMs: START_MS + 3 }, 1)).toEqual([
          ['req_002'],
          ['req_001'],
        ])
        expect(await idsOfAllPages({ model: 'none' }, 9)).toEqual([[]])
      })

      test('audit events are paged newest first and keep before and after', async () => {
        const change = { before: { amountNano: 5n, nested: { on: true } }, after: { list: [1, null] } }
        await storage.saveAccount(ACCOUNT, auditEvent('evt_1', { atMs: START_MS, ...change }))
        await storage.saveAccount(ACCOUNT, auditEvent('evt_2', { atMs: START_MS + 1 }))
        await storage.saveAccount(ACCOUNT, auditEvent('evt_3', { atMs: START_MS + 1 }))
        const first = await storage.listAuditEvents({ limit: 2, cursor: null })
        expect(first.data.map(({ id }) => id)).toEqual(['evt_3', 'evt_2'])
        const second = await storage.listAuditEvents({ limit: 2, cursor: first.nextCursor })
        expect(second).toEqual({
          data: [
            auditEvent('evt_1', { before: { amountNano: '5', nested: { on: true } }, after: change.after }),
          ],
          nextCursor: null,
        })
      })

      test('a broken cursor is a client error', async () => {
        const page = { limit: 1, cursor: 'nonsense' }
        for (const listing of [storage.listSettlements({}, page), storage.listAuditEvents(page)]) {
          const refusal = await listing.catch((error: unknown) => error)
          expect(refusal).toBeInstanceOf(GatewayError)
          expect(refusal).toMatchObject({ code: 'invalid_request', param: 'cursor' })
        }
      })
    })

    test('answers a ping, and not after it is closed', async () => {
      await storage.ping()
      await storage.close()
      await expect(storage.ping()).rejects.toThrow()
    })

    test('no stored byte shows a credential in clear', async () => {
      await saveEverything()
      const database = await site.openDatabase()
      const rows = await database.rows('select * from credentials', [])
      await database.close()
      expect(rows).toHaveLength(1)
      expect(Bun.inspect(rows)).not.toContain(CREDENTIAL.secret)
    })

    test('opens twice at once on an empty database', async () => {
      const emptySite = await engine.makeEmptySite()
      const both = await Promise.all([openAt(emptySite), openAt(emptySite)])
      await both[0].saveAccount(ACCOUNT, auditEvent('evt_1'))
      expect((await both[1].loadConfiguration()).accounts).toEqual([ACCOUNT])
      await Promise.all(both.map((one) => one.close()))
      await emptySite.remove()
    })
  })
}

describe('the SQLite file', () => {
  test('is readable by its owner alone, and holds no credential in clear', async () => {
    const [sqlite] = engines
    const site = await sqlite?.makeSite()
    if (site === undefined) throw new Error('SQLite is always tested')
    const dataFolder = join(site.dataFolder, 'made', 'here')
    const storage = await openStorage({ databaseUrl: null, dataFolder, secrets: SECRETS })
    await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
    await storage.saveSupplier(SUPPLIER, auditEvent('evt_2'))
    await storage.saveCredential(CREDENTIAL, auditEvent('evt_3'))
    const files = readdirSync(dataFolder)
    expect(files).toContain('turnpike.db')
    expect(statSync(dataFolder).mode & 0o777).toBe(0o700)
    for (const file of files) expect(statSync(join(dataFolder, file)).mode & 0o077).toBe(0)
    const bytes = files.map((file) => readFileSync(join(dataFolder, file), 'latin1')).join('')
    expect(bytes).toContain(CREDENTIAL.id)
    expect(bytes).not.toContain(CREDENTIAL.secret)
    await storage.close()
    await site.remove()
  })

  test('an address that is not PostgreSQL is refused without being printed', async () => {
    const databaseUrl = 'mysql://root:hunter2@127.0.0.1/x'
    const failure = await openStorage({ databaseUrl, dataFolder: '/nowhere', secrets: SECRETS }).catch(String)
    expect(failure).toContain('postgres://')
    expect(failure).not.toContain('hunter2')
  })
})
