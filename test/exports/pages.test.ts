import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from '../../src/edges/storage/engines/database.ts'
import { readLedger } from '../../src/edges/storage/tables/money/ledger.ts'
import { readSettlements } from '../../src/edges/storage/tables/money/settlement-list.ts'
import { writeSettlements } from '../../src/edges/storage/tables/money/settlements.ts'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import type { Placed } from '../../src/manage/ports/ledger.ts'
import type { Page } from '../../src/manage/ports/page.ts'
import {
  DAY_MS,
  FIRST_DAY_MS,
  fillLedger,
  forgetDays,
  paidSettlement,
  SETTLEMENTS,
} from '../ledger/support/filled-ledger.ts'

for (const engine of testedEngines()) {
  describe(`pages of an export on ${engine.name}`, () => {
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

    async function readAll<T>(
      limit: number,
      read: (page: Page) => Promise<readonly Placed<T>[]>,
      meanwhile = () => Promise.resolve(),
    ): Promise<T[]> {
      const items: T[] = []
      let cursor: string | null = null
      for (;;) {
        const page: readonly Placed<T>[] = await read({ limit, cursor })
        items.push(...page.map(({ item }) => item))
        if (page.length < limit) return items
        cursor = page.at(-1)?.cursor ?? null
        await meanwhile()
      }
    }

    test('hold every settlement once, whatever their size', async () => {
      for (const limit of [1, 7, 24, 100]) {
        const found = await readAll(limit, (page) => readSettlements(database, {}, page))
        expect(found).toEqual([...SETTLEMENTS])
      }
    })

    test('hold every entry of every account once, including those for deleted settlements', async () => {
      await forgetDays(database, 2)
      const whole = await readAll(1_000, (page) => readLedger(database, {}, page))
      const kinds = Map.groupBy(whole, ({ kind }) => kind)
      expect([...kinds].map(([kind, entries]) => [kind, entries.length]).sort()).toEqual([
        ['adjustment', 1],
        ['payment', 2],
        ['refund', 1],
        ['settlement', 4 * 3 + 4],
      ])
      for (const limit of [1, 3, 20]) {
        expect(await readAll(limit, (page) => readLedger(database, {}, page))).toEqual(whole)
      }
    })

    test('of a past period stay complete while requests of the next one end', async () => {
      const over = { toMs: FIRST_DAY_MS + 7 * DAY_MS }
      const entries = await readAll(1_000, (page) => readLedger(database, over, page))
      let written = 0
      const write = async () => {
        // Of the first account and of the last, so that some come before the cursor of the ledger and some after it.
        const ended = ['acc_0', 'acc_z'].map((accountId) =>
          paidSettlement({ requestId: `later_${++written}`, accountId, startedAtMs: over.toMs + written }),
        )
        await writeSettlements(database, ended)
      }
      expect(await readAll(5, (page) => readSettlements(database, over, page), write)).toEqual([
        ...SETTLEMENTS,
      ])
      expect(await readAll(2, (page) => readLedger(database, over, page), write)).toEqual(entries)
      expect(written).toBeGreaterThan(20)
    })
  })
}
