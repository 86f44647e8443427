import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayOf, KeySpend } from '../../rules/ledger/period.ts'
import { USAGE_PERIODS } from '../../vocabulary/api-key.ts'
import type { NodeRecord } from '../../vocabulary/system.ts'
import type { NodeStorage } from './index.ts'
import { openAt, type Site, testedEngines } from './testing/engines.ts'
import {
  ACCOUNT,
  auditEvent,
  CREDENTIAL,
  KEY,
  MODEL,
  PAYMENT,
  ROUTE,
  START_MS,
  SUPPLIER,
  settlement,
} from './testing/samples.ts'

const DAY_MS = 86_400_000
const TODAY = dayOf(START_MS)

for (const engine of testedEngines()) {
  describe(`what nodes share on ${engine.name}`, () => {
    let site: Site
    let storage: NodeStorage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    test('every configuration change raises the version by one, and loading returns both', async () => {
      const { id } = ACCOUNT
      const event = (name: string) => auditEvent(`evt_${name}`)
      const changes: (() => Promise<unknown>)[] = [
        () => storage.saveAccount(ACCOUNT, event('account')),
        () => storage.saveKey(KEY, event('key')),
        () => storage.saveSupplier(SUPPLIER, event('supplier')),
        () => storage.saveCredential(CREDENTIAL, event('credential')),
        () => storage.saveModel(MODEL, event('model')),
        () => storage.saveRoute(ROUTE, event('route')),
        () => storage.recordPayment(PAYMENT, event('payment')),
        () =>
          storage.recordPayments([
            { payment: { ...PAYMENT, id: 'pay_2', reference: 'two' }, event: event('two') },
            { payment: { ...PAYMENT, id: 'pay_3', reference: 'three' }, event: event('three') },
          ]),
        () =>
          storage.recordAdjustment(
            { id: 'adj_1', accountId: id, amountNano: 1n, reference: null, reason: 'r', atMs: START_MS },
            event('adjustment'),
          ),
        () =>
          storage.recordRefund(
            { id: 'ref_1', accountId: id, amountNano: 1n, reference: 'r', reason: 'r', atMs: START_MS },
            event('refund'),
          ),
        () =>
          storage.takeTierStep({ kind: 'move', accountId: id, from: 'Builder', to: 'Scale' }, event('tier')),
        () => storage.saveBodyStorage({ accountId: id, isEnabled: true, days: 3 }, event('bodies')),
        () => storage.deleteCredential(CREDENTIAL.id, event('gone')),
        () => storage.deleteRoute(ROUTE, event('no route')),
        () => storage.deleteModel(MODEL.id, event('no model')),
        () => storage.deleteSupplier(SUPPLIER.id, event('all gone')),
      ]
      for (const [index, change] of changes.entries()) {
        await change()
        expect(await storage.loadConfigurationVersion()).toBe(index + 2)
        expect((await storage.loadConfiguration()).version).toBe(index + 2)
      }
    })

    test('a write that changes no configuration does not raise the version', async () => {
      await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
      await storage.recordPayment(PAYMENT, auditEvent('evt_2'))
      const before = await storage.loadConfigurationVersion()
      await storage.recordPayment({ ...PAYMENT, id: 'pay_again' }, auditEvent('evt_3'))
      await storage.takeTierStep(
        { kind: 'move', accountId: ACCOUNT.id, from: 'Starter', to: 'Scale' },
        auditEvent('evt_4'),
      )
      await expect(storage.saveModel(MODEL, auditEvent('evt_1'))).rejects.toThrow()
      // A failed sign-in must not make every node reload its configuration.
      await storage.writeEvent(auditEvent('evt_5', { action: 'user.sign_in_failed' }))
      expect(await storage.loadConfigurationVersion()).toBe(before)
    })

    test('a version can be raised past lost ones, and is never lowered', async () => {
      await storage.raiseConfigurationVersion(40)
      await storage.raiseConfigurationVersion(7)
      expect(await storage.loadConfigurationVersion()).toBe(40)
    })

    test('a running change sees the version it has reached', async () => {
      const seen = await storage.whileChanging(async (progress) => {
        const before = progress.version
        await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
        await storage.saveModel(MODEL, auditEvent('evt_1')).catch(() => undefined)
        await storage.saveModel(MODEL, auditEvent('evt_2'))
        return [before, progress.version]
      })
      expect(seen).toEqual([1, 3])
    })

    describe('balances', () => {
      test('gain a version with every movement, and the write returns them', async () => {
        await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
        const balances = () => storage.loadStoredBalances([ACCOUNT.id, 'acc_unknown'])
        const unknown = { accountId: 'acc_unknown', balanceNano: 0n, version: 0n }
        expect(await balances()).toEqual([{ accountId: ACCOUNT.id, balanceNano: 0n, version: 0n }, unknown])
        await storage.recordPayment(PAYMENT, auditEvent('evt_2'))
        const paid = { accountId: ACCOUNT.id, balanceNano: PAYMENT.amountNano, version: 1n }
        expect(await balances()).toEqual([paid, unknown])
        const moved = await storage.writeSettlements([
          settlement({ requestId: 'a' }),
          settlement({ requestId: 'b' }),
          settlement({ requestId: 'c', accountId: 'acc_2' }),
          settlement({ requestId: 'd', accountId: 'acc_3', amountNano: 0n }),
        ])
        expect(moved.toSorted((left, right) => (left.accountId < right.accountId ? -1 : 1))).toEqual([
          { accountId: ACCOUNT.id, balanceNano: PAYMENT.amountNano - 2_000n, version: 2n },
          { accountId: 'acc_2', balanceNano: -1_000n, version: 1n },
        ])
        // Some of it known already: only what is new moves anything.
        const again = [
          settlement({ requestId: 'a' }),
          settlement({ requestId: 'e' }),
          settlement({ requestId: 'c', accountId: 'acc_2' }),
        ]
        expect(await storage.writeSettlements(again)).toEqual([
          { accountId: ACCOUNT.id, balanceNano: PAYMENT.amountNano - 3_000n, version: 3n },
        ])
        expect(await storage.writeSettlements(again)).toEqual([])
      })

      test('moved concurrently have versions in the order of their movements', async () => {
        const other = await openAt(site)
        const batches = Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? storage : other).writeSettlements([settlement({ requestId: `req_${index}` })]),
        )
        const moved = (await Promise.all(batches)).flat()
        const inOrder = moved.toSorted((left, right) => Number(left.version - right.version))
        expect(inOrder.map(({ version }) => version)).toEqual(moved.map((_, index) => BigInt(index + 1)))
        expect(inOrder.map(({ balanceNano }) => balanceNano)).toEqual(
          moved.map((_, index) => -1_000n * BigInt(index + 1)),
        )
        await other.close()
      })

      test('are all loaded for more accounts than one statement can bind', async () => {
        const ids = Array.from({ length: 2_501 }, (_, index) => `acc_${index}`)
        await storage.writeSettlements([settlement({ requestId: 'last', accountId: 'acc_2500' })])
        const balances = await storage.loadStoredBalances(ids)
        expect(balances.map(({ accountId }) => accountId)).toEqual(ids)
        expect(balances.filter(({ version }) => version > 0n)).toEqual([
          { accountId: 'acc_2500', balanceNano: -1_000n, version: 1n },
        ])
      })
    })

    test('key totals equal what a node that saw every request would count', async () => {
      let written = 0
      const spend = fc.record({
        keyId: fc.constantFrom('key_a', 'key_b', 'key_c'),
        daysAgo: fc.integer({ min: -1, max: 70 }),
        amountNano: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      })
      const counted = new Map(['key_a', 'key_b', 'key_c', 'key_unused'].map((id) => [id, new KeySpend()]))
      await fc.assert(
        fc.asyncProperty(
          fc.array(spend, { minLength: 1, maxLength: 8 }),
          fc.integer({ min: 0, max: 40 }),
          async (spends, laterDays) => {
            const settled = spends.map(({ keyId, daysAgo, amountNano }) => {
              const startedAtMs = (TODAY - daysAgo) * DAY_MS
              counted.get(keyId)?.add(TODAY - daysAgo, amountNano)
              written += 1
              return settlement({
                requestId: `req_${written}`,
                keyId,
                amountNano,
                startedAtMs,
                durationMs: 1,
              })
            })
            await storage.writeSettlements(settled)
            const today = TODAY + laterDays
            for (const { keyId, totals } of await storage.loadKeyTotals([...counted.keys()], today)) {
              for (const period of USAGE_PERIODS) {
                const expected = counted.get(keyId)?.spentNano(period, today)
                expect([keyId, period, totals[period].spentNano]).toEqual([keyId, period, expected ?? -1n])
              }
            }
          },
        ),
        { numRuns: 15 },
      )
      const [totals] = await storage.loadKeyTotals(['key_a'], dayOf(Date.UTC(2026, 0, 15)))
      expect(Object.values(totals?.totals ?? {}).map(({ startDay }) => startDay)).toEqual([
        dayOf(Date.UTC(2026, 0, 15)),
        dayOf(Date.UTC(2026, 0, 12)),
        dayOf(Date.UTC(2026, 0, 1)),
        0,
      ])
    })

    describe('nodes', () => {
      const node = (id: string): NodeRecord => ({ id, name: `node ${id}`, version: '1.2.3', startedAtMs: 5 })

      test('are known from their first heartbeat until they are removed', async () => {
        await storage.saveHeartbeat(node('b'), null)
        await storage.saveHeartbeat(node('a'), null)
        await storage.saveHeartbeat(node('b'), 'gen_1')
        const seen = await storage.listNodes()
        expect(seen.map(({ silentMs: _, ...rest }) => rest)).toEqual([
          { ...node('a'), sharedLimitsId: null },
          { ...node('b'), sharedLimitsId: 'gen_1' },
        ])
        await storage.removeNode('a')
        expect((await storage.listNodes()).map(({ id }) => id)).toEqual(['b'])
      })

      test('are silent for as long as the clock of the database says', async () => {
        await storage.saveHeartbeat(node('a'), null)
        const database = await site.openDatabase()
        const silent = async () => (await storage.listNodes())[0]?.silentMs ?? -1
        expect(await silent()).toBeWithin(0, 60_000)
        await database.rows('update nodes set heartbeat_at_ms = heartbeat_at_ms - 3600000', [])
        expect(await silent()).toBeWithin(3_600_000, 3_660_000)
        await storage.saveHeartbeat(node('a'), null)
        expect(await silent()).toBeWithin(0, 60_000)
        await database.rows('update nodes set heartbeat_at_ms = heartbeat_at_ms + 3600000', [])
        expect(await silent()).toBe(0)
        await database.close()
      })
    })
  })
}
