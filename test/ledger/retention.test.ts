import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from '../../src/edges/storage/engines/database.ts'
import { loadBalances, loadDailySpends, readLedger } from '../../src/edges/storage/tables/money/ledger.ts'
import {
  carrySettlements,
  findHorizonMs,
  moveHorizon,
} from '../../src/edges/storage/tables/money/retention.ts'
import { findSettlement, writeSettlements } from '../../src/edges/storage/tables/money/settlements.ts'
import { rebuildUsage } from '../../src/edges/storage/tables/money/usage.ts'
import { verifyLedger } from '../../src/edges/storage/tables/money/verify-ledger.ts'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { auditEvent } from '../../src/edges/storage/testing/samples.ts'
import { dropOldSettlements } from '../../src/manage/operations/retention.ts'
import type { AuditEvent } from '../../src/vocabulary/system.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  DAY_MS,
  FIRST_DAY_MS,
  fillLedger,
  forgetDays,
  paidSettlement,
  SETTLEMENTS,
} from './support/filled-ledger.ts'

const NO_JOURNAL = { settled: () => [], setAside: () => [] }

for (const engine of testedEngines()) {
  describe(`deleting details on ${engine.name}`, () => {
    let site: Site
    let database: Database
    beforeEach(async () => {
      site = await engine.makeSite()
      database = await site.openDatabase()
      await fillLedger(database)
    })
    afterEach(async () => {
      await database.close()
      await site.remove()
    })

    const count = async (table: string) =>
      Number((await database.rows<{ n: bigint }>(`select count(*) as n from ${table}`, []))[0]?.n)
    const usage = () =>
      database.rows('select * from usage_totals order by span, start_ms, key_id, supplier', [])
    const entries = async () =>
      (await readLedger(database, { accountId: 'acc_1' }, { limit: 100, cursor: null })).map(
        ({ item }) => item,
      )
    const differenceNow = async () =>
      (await verifyLedger(database, NO_JOURNAL, { mayWait: false })).difference

    test('moves no balance, spend or usage, and leaves one entry for each key and day', async () => {
      const before = [await loadBalances(database), await loadDailySpends(database, null), await usage()]
      const spentNano = SETTLEMENTS.slice(0, 12).reduce((sum, { amountNano }) => sum + amountNano, 0n)
      expect(await forgetDays(database, 3, 5)).toBe(12)
      expect(await count('settlements')).toBe(12)
      expect([await loadBalances(database), await loadDailySpends(database, null), await usage()]).toEqual(
        before,
      )
      expect(await differenceNow()).toBeNull()
      const carried = (await entries()).filter(({ id }) => id.startsWith('carried_'))
      expect(carried.map(({ amountNano }) => -amountNano).reduce((sum, nano) => sum + nano)).toBe(spentNano)
      expect(carried).toHaveLength(6)
      expect(carried[0]).toMatchObject({
        kind: 'settlement',
        requestId: null,
        note: expect.stringMatching(/^the sum of [12] settlements of key_[01]$/),
        atMs: FIRST_DAY_MS + DAY_MS - 1,
      })
      await rebuildUsage(database)
      expect(await usage()).toEqual(before[2] as unknown[])
    })

    test('keeps what ended at or after the horizon, whenever it started', async () => {
      const horizonMs = FIRST_DAY_MS + 20 * DAY_MS
      const over = paidSettlement({ requestId: 'req_over', startedAtMs: horizonMs - 10, durationMs: 10 })
      const under = paidSettlement({ requestId: 'req_under', startedAtMs: horizonMs - 10, durationMs: 9 })
      await writeSettlements(database, [over, under])
      await forgetDays(database, 20)
      expect(await findSettlement(database, 'req_over')).not.toBeNull()
      expect(await findSettlement(database, 'req_under')).toBeNull()
      expect(await differenceNow()).toBeNull()
    })

    test('refuses a settlement of a deleted period, since it may have been stored before', async () => {
      await forgetDays(database, 2)
      const balances = await loadBalances(database)
      const [old, recent] = [SETTLEMENTS[0], SETTLEMENTS.at(-1)]
      if (old === undefined || recent === undefined) throw new Error('there are none')
      await expect(writeSettlements(database, [old])).rejects.toThrow(
        'req_0_0 ended before the oldest settlements',
      )
      await writeSettlements(database, [recent])
      expect(await loadBalances(database)).toEqual(balances)
      expect(await differenceNow()).toBeNull()
    })

    test('never moves the horizon back, and records each move once', async () => {
      await forgetDays(database, 3)
      expect(await moveHorizon(database, FIRST_DAY_MS, auditEvent('evt_back'))).toBe(false)
      expect(await findHorizonMs(database)).toBe(FIRST_DAY_MS + 3 * DAY_MS)
      expect(await database.rows("select id from audit_events where id = 'evt_back'", [])).toEqual([])
    })

    test('lets writers in between batches, and every balance ever read equals its sum', async () => {
      const writes = Array.from({ length: 10 }, (_, index) =>
        writeSettlements(database, [
          paidSettlement({ requestId: `req_w_${index}`, startedAtMs: FIRST_DAY_MS + 5 * DAY_MS }),
        ]),
      )
      const looks = Array.from({ length: 5 }, () => differenceNow())
      await Promise.all([forgetDays(database, 4, 1), ...writes])
      expect(await Promise.all(looks)).toEqual([null, null, null, null, null])
      expect(await differenceNow()).toBeNull()
      expect(await count('settlements')).toBe(24 - 16 + 10)
    })

    test('goes by whole days, in batches, until it is stopped', async () => {
      await writeSettlements(
        database,
        Array.from({ length: 450 }, (_, index) =>
          paidSettlement({ requestId: `req_m_${index}`, startedAtMs: FIRST_DAY_MS + index }),
        ),
      )
      const events: AuditEvent[] = []
      let pauses = 0
      let caughtUp = 0
      const parts = {
        storage: {
          moveHorizon: (ms: number, event: AuditEvent) => {
            events.push(event)
            return moveHorizon(database, ms, event)
          },
          carrySettlements: (atMost: number) => carrySettlements(database, atMost),
        },
        catchUp: async () => {
          caughtUp += 1
        },
        keptDays: 3,
        clock: createMovableClock(FIRST_DAY_MS + 4 * DAY_MS + 3_600_000),
        random: { id: (prefix: string) => `${prefix}_${events.length}` },
        pause: async () => {
          pauses += 1
        },
        isStopping: () => pauses === 1,
      }
      expect(await dropOldSettlements(parts)).toBe(200)
      expect(await dropOldSettlements({ ...parts, isStopping: () => false })).toBe(254)
      expect([await count('settlements'), caughtUp, pauses]).toEqual([20, 2, 2])
      expect(await findHorizonMs(database)).toBe(FIRST_DAY_MS + DAY_MS)
      expect(events[0]?.after).toEqual({ ended_before: '2026-01-11T00:00:00Z', kept_days: 3 })
      expect(await differenceNow()).toBeNull()
    })
  })
}
