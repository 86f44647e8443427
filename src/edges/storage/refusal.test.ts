import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { aSettlement } from '../../vocabulary/testing/specimens.ts'
import type { NodeStorage } from './index.ts'
import { isRefusal } from './refusal.ts'
import { openAt, type Site, testedEngines } from './testing/engines.ts'

const DAY_MS = 86_400_000

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

for (const engine of testedEngines()) {
  describe(`permanent refusals are distinguished from temporary failures on ${engine.name}`, () => {
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

    const refusalOf = async (settlement: Settlement) =>
      isRefusal(await failureOf(() => storage.writeSettlements([settlement])))

    test('an amount beyond the column, a missing text and a deleted period are refusals', async () => {
      expect(await refusalOf(aSettlement({ amountNano: 2n ** 63n }))).toBe(true)
      expect(await refusalOf(aSettlement({ model: null as unknown as string }))).toBe(true)
      const event = { atMs: 1, actor: 'x', action: 'x', subject: 'x', before: null, after: null }
      await storage.moveHorizon(2 * DAY_MS, { id: 'event', ...event })
      expect(await refusalOf(aSettlement({ startedAtMs: DAY_MS }))).toBe(true)
    })

    test('a read-only database is not a refusal', async () => {
      const database = await site.openDatabase()
      try {
        const write = () =>
          database.snapshot((moment) => moment.rows('update settlement_horizon set gone_before_ms = 1', []))
        expect(isRefusal(await failureOf(write))).toBe(false)
      } finally {
        await database.close()
      }
    })

    test('a closed database is not a refusal', async () => {
      await storage.close()
      expect(await refusalOf(aSettlement({}))).toBe(false)
    })
  })
}
