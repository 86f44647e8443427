import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Adjustment } from '../../../../vocabulary/ledger.ts'
import type { NodeStorage } from '../../index.ts'
import { MIGRATIONS, migrate } from '../../migrations.ts'
import { balanceDifferenceAt } from '../../testing/balance-difference.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { ACCOUNT, auditEvent, PAYMENT, START_MS } from '../../testing/samples.ts'

const BEFORE_REFERENCES = 13
const ADJUSTMENT: Adjustment = {
  id: 'adj_1',
  accountId: ACCOUNT.id,
  amountNano: -7n,
  reference: 'ticket-1',
  reason: 'credited twice',
  atMs: START_MS,
}
const PAGE = { limit: 100, cursor: null }

for (const engine of testedEngines()) {
  describe(`adjustments on ${engine.name}`, () => {
    let site: Site
    let storage: NodeStorage
    let events: number

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      events = 0
      await storage.saveAccount(ACCOUNT, auditEvent('evt_account'))
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const record = (changes: Partial<Adjustment> = {}, through = storage) =>
      through.recordAdjustment({ ...ADJUSTMENT, ...changes }, auditEvent(`evt_${++events}`))
    const balance = async (accountId = ACCOUNT.id) => (await storage.loadBalances()).get(accountId)
    const entries = async (accountId = ACCOUNT.id) => (await storage.listLedger(accountId, PAGE)).data
    const eventCount = async () => (await storage.listAuditEvents(PAGE)).data.length

    test('are entries of the ledger with their reference', async () => {
      expect(await record()).toEqual({ record: ADJUSTMENT, isNew: true })
      expect(await entries()).toEqual([
        {
          kind: 'adjustment',
          id: 'adj_1',
          accountId: ACCOUNT.id,
          amountNano: -7n,
          requestId: null,
          reference: 'ticket-1',
          note: 'credited twice',
          atMs: START_MS,
        },
      ])
      expect(await balance()).toBe(-7n)
    })

    test('with a used reference return the first one and change nothing', async () => {
      await record()
      const version = await storage.loadConfigurationVersion()
      const again = { id: 'adj_2', amountNano: 5n, reason: 'something else', atMs: START_MS + 5 }
      expect(await record(again)).toEqual({ record: ADJUSTMENT, isNew: false })
      expect(await balance()).toBe(-7n)
      expect(await entries()).toHaveLength(1)
      expect(await eventCount()).toBe(2)
      expect(await storage.loadConfigurationVersion()).toBe(version)
      expect(await balanceDifferenceAt(site)).toBeNull()
    })

    test('without a reference are all recorded, however alike', async () => {
      for (const id of ['adj_1', 'adj_2', 'adj_3']) {
        expect((await record({ id, reference: null })).isNew).toBe(true)
      }
      expect(await balance()).toBe(-21n)
      expect(await eventCount()).toBe(4)
    })

    test('of another account have separate references', async () => {
      await storage.saveAccount({ ...ACCOUNT, id: 'acc_2' }, auditEvent('evt_other'))
      await record()
      expect((await record({ id: 'adj_2', accountId: 'acc_2', amountNano: 3n })).isNew).toBe(true)
      expect([await balance(), await balance('acc_2')]).toEqual([-7n, 3n])
    })

    test('have references separate from those of payments and refunds', async () => {
      const reference = 'ticket-1'
      await storage.recordPayment({ ...PAYMENT, reference, amountNano: 100n }, auditEvent('evt_pay'))
      const refund = { accountId: ACCOUNT.id, amountNano: 10n, reference, reason: 'r', atMs: START_MS }
      await storage.recordRefund({ ...refund, id: 'ref_1' }, auditEvent('evt_refund'))
      expect((await record()).isNew).toBe(true)
      const payment = { ...PAYMENT, id: 'pay_2', reference: 'ticket-2', amountNano: 1n }
      await record({ id: 'adj_2', reference: 'ticket-2' })
      expect((await storage.recordPayment(payment, auditEvent('evt_pay_2'))).isNew).toBe(true)
      const second = { ...refund, id: 'ref_2', reference: 'ticket-2' }
      expect((await storage.recordRefund(second, auditEvent('evt_refund_2'))).isNew).toBe(true)
      expect(await balance()).toBe(100n - 10n - 7n - 7n + 1n - 10n)
    })

    test('with a used id are refused, whatever their reference', async () => {
      await record()
      await expect(record({ reference: 'ticket-2' })).rejects.toThrow()
      await expect(record({ reference: null })).rejects.toThrow()
      expect(await balance()).toBe(-7n)
      expect(await eventCount()).toBe(2)
    })

    test('law: concurrently on two nodes, each reference counts once and each one without always counts', async () => {
      const other = await openAt(site)
      const offered = fc.record({
        reference: fc.option(fc.constantFrom('a', 'b', 'c')),
        amountNano: fc.bigInt(-100n, 100n),
        isElsewhere: fc.boolean(),
      })
      let runs = 0
      await fc.assert(
        fc.asyncProperty(fc.array(offered, { minLength: 1, maxLength: 12 }), async (offers) => {
          const accountId = `acc_run_${++runs}`
          await storage.saveAccount({ ...ACCOUNT, id: accountId }, auditEvent(`evt_run_${runs}`))
          const recorded = await Promise.all(
            offers.map(({ reference, amountNano, isElsewhere }, index) =>
              record(
                { id: `adj_${runs}_${index}`, accountId, reference, amountNano },
                isElsewhere ? other : storage,
              ),
            ),
          )
          const fresh = recorded.filter(({ isNew }) => isNew).map((one) => one.record)
          const wanted = offers.map(({ reference }, index) => reference ?? index)
          expect(fresh).toHaveLength(new Set(wanted).size)
          const firsts = new Map(fresh.map((one) => [one.reference ?? one.id, one]))
          for (const { record: given } of recorded) {
            expect(given).toEqual(firsts.get(given.reference ?? given.id) ?? ADJUSTMENT)
          }
          expect(await balance(accountId)).toBe(fresh.reduce((sum, { amountNano }) => sum + amountNano, 0n))
          expect(await entries(accountId)).toHaveLength(fresh.length)
        }),
        { numRuns: 25 },
      )
      await other.close()
      expect(await balanceDifferenceAt(site)).toBeNull()
    })
  })

  test(`adjustments from before references stay unchanged on ${engine.name}`, async () => {
    const site = await engine.makeEmptySite()
    const database = await site.openDatabase()
    await migrate(database, MIGRATIONS.slice(0, BEFORE_REFERENCES))
    for (const id of ['adj_old', 'adj_older']) {
      await database.rows(
        `insert into posted_entries (kind, id, account_id, amount_nano, note, at_ms)
        values ('adjustment', $1, $2, 5, 'sorry', $3)`,
        [id, ACCOUNT.id, BigInt(START_MS)],
      )
    }
    await database.rows(
      'insert into account_balances (account_id, balance_nano, total_paid_nano, version) values ($1, 10, 0, 2)',
      [ACCOUNT.id],
    )
    await database.close()
    const storage = await openAt(site)
    await storage.saveAccount(ACCOUNT, auditEvent('evt_account'))
    expect((await storage.recordAdjustment(ADJUSTMENT, auditEvent('evt_1'))).isNew).toBe(true)
    const listed = (await storage.listLedger(ACCOUNT.id, PAGE)).data.map(({ id, reference }) => [
      id,
      reference,
    ])
    expect(listed).toEqual([
      ['adj_older', null],
      ['adj_old', null],
      ['adj_1', 'ticket-1'],
    ])
    expect((await storage.loadBalances()).get(ACCOUNT.id)).toBe(3n)
    await storage.close()
    await site.remove()
  })
}
