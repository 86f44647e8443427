import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Database } from '../../src/edges/storage/engines/database.ts'
import { usageAndRetention } from '../../src/edges/storage/migrations/0009-usage-and-retention.ts'
import { MIGRATIONS, migrate } from '../../src/edges/storage/migrations.ts'
import { saveAccount, saveKey } from '../../src/edges/storage/tables/accounts/accounts.ts'
import { exploreStore } from '../../src/edges/storage/tables/explore/explore.ts'
import { writeSettlements } from '../../src/edges/storage/tables/money/settlements.ts'
import { rebuildUsage } from '../../src/edges/storage/tables/money/usage.ts'
import { verifyLedger } from '../../src/edges/storage/tables/money/verify-ledger.ts'
import { listUsage } from '../../src/edges/storage/tables/usage/list-usage.ts'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { insertOldSettlement } from '../../src/edges/storage/testing/old-settlements.ts'
import { ACCOUNT, KEY } from '../../src/edges/storage/testing/samples.ts'
import { readLargestUsage } from '../../src/manage/operations/observability/largest-usage.ts'
import type { ExploreStore } from '../../src/manage/ports/explore/explore.ts'
import type { UsagePoint, UsageQuestion } from '../../src/manage/ports/ledger.ts'
import { sumFigures } from '../../src/rules/ledger/aggregate.ts'
import type { Settlement, UsageGroup, UsageSpan } from '../../src/vocabulary/settlement.ts'
import { arbitraryBatches, beforeRateCards, firstOfEach } from './support/arbitrary-settlement.ts'

const EVERYTHING: readonly (keyof UsageGroup)[] = ['accountId', 'keyId', 'model', 'supplier']
const NO_JOURNAL = { settled: () => [], setAside: () => [] }
const ACCOUNT_IDS = ['acc_1', 'acc_2']
const TABLES = ['settlements', 'usage_totals', 'account_usage', 'account_balances', 'key_daily_spend']

function onDatabase(database: Database): Pick<ExploreStore, 'rankGroups' | 'readFigures'> {
  const context = { database } as Parameters<typeof exploreStore.rankGroups>[0]
  return {
    rankGroups: (...question) => exploreStore.rankGroups(context, ...question),
    readFigures: (...question) => exploreStore.readFigures(context, ...question),
  }
}

for (const engine of testedEngines()) {
  describe(`usage on ${engine.name}`, () => {
    let site: Site
    let database: Database
    beforeAll(async () => {
      site = await engine.makeSite()
      database = await site.openDatabase()
      await migrate(database, MIGRATIONS)
      for (const id of ACCOUNT_IDS) await saveAccount(database, { ...ACCOUNT, id })
    })
    afterEach(() => clear())
    afterAll(async () => {
      await database.close()
      await site.remove()
    })

    async function clear() {
      for (const table of TABLES) await database.rows(`delete from ${table}`, [])
    }

    async function list(question: Partial<UsageQuestion>, limit = 1_000): Promise<UsagePoint[]> {
      const points: UsagePoint[] = []
      let cursor: string | null = null
      do {
        const whole = { span: 'hour' as const, filter: {}, groupBy: EVERYTHING, ...question }
        const page: Awaited<ReturnType<typeof listUsage>> = await listUsage(database, whole, {
          limit,
          cursor,
        })
        points.push(...page.data)
        cursor = page.nextCursor
      } while (cursor !== null)
      return points
    }

    test('equals the count over all settlements, each once, and rebuilding changes nothing', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryBatches(), async (batches) => {
          await clear()
          for (const batch of batches) await writeSettlements(database, batch)
          const counted = firstOfEach(batches)
          for (const span of ['hour', 'day'] as const) {
            expect(sorted(await list({ span }))).toEqual(sorted(countPlainly(counted, span)))
          }
          const before = await list({})
          expect(await rebuildUsage(database)).toBe(counted.length)
          expect(await list({})).toEqual(before)
          expect((await verifyLedger(database, NO_JOURNAL, { mayWait: false })).difference).toBeNull()
        }),
        { numRuns: engine.name === 'SQLite' ? 60 : 15 },
      )
    })

    test('of the largest groups and of all others adds up to everything', async () => {
      const batches = fc.sample(arbitraryBatches(), { numRuns: 6, seed: 5 }).flat()
      for (const batch of batches) await writeSettlements(database, batch)
      for (const { accountId, keyId } of firstOfEach(batches))
        await saveKey(database, { ...KEY, id: keyId, accountId, secrets: [] })
      const filter = { accountId: 'acc_1', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
      const store = onDatabase(database)
      for (const [by, dimension] of [
        ['key', 'keyId'],
        ['model', 'model'],
        ['supplier', 'supplier'],
      ] as const) {
        const all = await list({ span: 'day', filter, groupBy: [dimension] })
        const amounts = new Map(
          [...Map.groupBy(all, ({ group }) => group[dimension] ?? null)].map(([name, own]) => [
            name,
            totalNano(own),
          ]),
        )
        const ranked = [...amounts.values()].sort((one, other) => Number(other - one))
        expect(ranked.length).toBeGreaterThan(1)
        for (const top of [1, ranked.length - 1, ranked.length, ranked.length + 1]) {
          const found = await readLargestUsage(store, { span: 'day', filter, by, top })
          const told = found.filter(({ isRest }) => !isRest)
          const names = [...new Set(told.map(({ group }) => group))]
          expect(
            names.map((name) => amounts.get(name) ?? 0n).sort((one, other) => Number(other - one)),
          ).toEqual(ranked.slice(0, top))
          for (const { startMs, group, figures } of told) {
            expect(
              all.find((one) => one.startMs === startMs && (one.group[dimension] ?? null) === group)?.figures,
            ).toEqual(figures)
          }
          expect(sumFigures(found.map(({ figures }) => figures))).toEqual(
            sumFigures(all.map(({ figures }) => figures)),
          )
          expect(found.some(({ isRest }) => isRest)).toBe(top < ranked.length)
        }
      }
      const none = {
        span: 'day' as const,
        filter: { ...filter, accountId: 'acc_2', toMs: 1 },
        by: 'key' as const,
      }
      expect(await readLargestUsage(store, { ...none, top: 3 })).toEqual([])
    })

    test('can be rebuilt after it was altered, even during writes', async () => {
      const [first = [], second = []] =
        fc.sample(
          arbitraryBatches().filter(({ length }) => length > 1),
          {
            numRuns: 1,
            seed: 7,
          },
        )[0] ?? []
      await writeSettlements(database, first)
      const before = await list({})
      await database.rows('update usage_totals set output_tokens = output_tokens + 1, amount_nano = 5', [])
      await database.rows(
        `insert into usage_totals select 'day', start_ms + 999, account_id, key_id, model, supplier, 9, 9, 9, 9, 9, 9,
          9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1 from usage_totals where span = 'day'`,
        [],
      )
      await rebuildUsage(database)
      expect(await list({})).toEqual(before)
      await Promise.all([rebuildUsage(database), writeSettlements(database, second), rebuildUsage(database)])
      expect(sorted(await list({}))).toEqual(sorted(countPlainly(firstOfEach([first, second]), 'hour')))
    })

    test('of sessions and agents equals the count over their settlements', async () => {
      const batches = fc.sample(arbitraryBatches(), { numRuns: 6, seed: 3 }).flat()
      for (const batch of batches) await writeSettlements(database, batch)
      const all = firstOfEach(batches)
      for (const span of ['hour', 'day'] as const) {
        const ofSession = all.filter(({ session }) => session === 'session-1')
        expect(sorted(await list({ span, filter: { session: 'session-1' } }, 5))).toEqual(
          sorted(countPlainly(ofSession, span)),
        )
        const filter = { session: 'session-1', agent: 'reviewer', accountId: 'acc_1', supplier: 'acme' }
        const narrow = ofSession.filter(
          ({ agent, accountId, supplier }) =>
            agent === 'reviewer' && accountId === 'acc_1' && supplier === 'acme',
        )
        expect(narrow.length).toBeGreaterThan(0)
        expect(sorted(await list({ span, filter }))).toEqual(sorted(countPlainly(narrow, span)))
      }
      const ofAccount = await list({
        span: 'day',
        filter: { accountId: 'acc_1' },
        groupBy: ['session', 'agent'],
      })
      for (const { session, agent } of all) {
        const found = ofAccount.filter(({ group }) => group.session === session && group.agent === agent)
        const expected = all.filter(
          (one) => one.accountId === 'acc_1' && one.session === session && one.agent === agent,
        )
        expect(totalNano(found)).toBe(expected.reduce((sum, { amountNano }) => sum + amountNano, 0n))
      }
      const byHour = await list({ filter: { session: 'session-1' } })
      const middleMs = byHour[Math.floor(byHour.length / 2)]?.startMs ?? 0
      const parts = [{ toMs: middleMs }, { fromMs: middleMs }].map((range) =>
        list({ filter: { session: 'session-1', ...range } }),
      )
      expect((await Promise.all(parts)).flat()).toEqual(byHour)
      await expect(list({ groupBy: ['session'] })).rejects.toThrow('account_id')
    })

    test('is listed page by page, filtered, and summed over dimensions that are not grouped by', async () => {
      const batches = fc.sample(arbitraryBatches(), { numRuns: 3, seed: 3 }).flat()
      for (const batch of batches) await writeSettlements(database, batch)
      const all = await list({})
      expect(all.length).toBeGreaterThan(20)
      expect(await list({}, 7)).toEqual(all)
      const ofAccount = await list({ groupBy: ['accountId'], filter: { model: 'gpt-5' } }, 3)
      const wanted = firstOfEach(batches).filter(({ model }) => model === 'gpt-5')
      expect(totalNano(ofAccount)).toBe(wanted.reduce((sum, { amountNano }) => sum + amountNano, 0n))
      expect(new Set(ofAccount.map(({ startMs, group }) => `${startMs} ${group.accountId}`)).size).toBe(
        ofAccount.length,
      )
      const middleMs = all[Math.floor(all.length / 2)]?.startMs ?? 0
      const [early, late] = [
        await list({ filter: { toMs: middleMs } }),
        await list({ filter: { fromMs: middleMs } }),
      ]
      expect([...early, ...late]).toEqual(all)
      expect(await list({ filter: { accountId: 'nobody' } })).toEqual([])
      // Counted without keys, of one account and of all.
      for (const filter of [{}, { accountId: 'acc_1' }]) {
        const byKey = await list({ filter, groupBy: ['keyId', 'model'] }, 4)
        const byModel = await list({ filter, groupBy: ['model'] }, 4)
        expect(byModel.length).toBeLessThan(byKey.length)
        expect(totalNano(byModel)).toBe(totalNano(byKey))
        expect(totalNano(await list({ filter, groupBy: [] }))).toBe(totalNano(byKey))
      }
      const { nextCursor } = await listUsage(
        database,
        { span: 'hour', filter: {}, groupBy: [] },
        { limit: 1, cursor: null },
      )
      const otherGrouping = { span: 'hour', filter: {}, groupBy: EVERYTHING } as const
      await expect(listUsage(database, otherGrouping, { limit: 1, cursor: nextCursor })).rejects.toThrow(
        'cursor',
      )
    })
  })
}

for (const engine of testedEngines()) {
  test(`settlements from before usage was recorded are counted on ${engine.name}`, async () => {
    const site = await engine.makeEmptySite()
    const database = await site.openDatabase()
    try {
      await migrate(
        database,
        MIGRATIONS.filter(({ version }) => version < usageAndRetention.version),
      )
      const batches = fc.sample(arbitraryBatches(), { numRuns: 3, seed: 5 }).flat()
      const settled = firstOfEach(batches).map(beforeRateCards)
      for (const one of settled) await insertOldSettlement(database, one)
      await migrate(database, MIGRATIONS)
      for (const span of ['hour', 'day'] as const) {
        const question = { span, filter: {}, groupBy: EVERYTHING }
        const { data } = await listUsage(database, question, { limit: 1_000, cursor: null })
        expect(sorted(data)).toEqual(sorted(countPlainly(settled, span)))
        const all = await listUsage(
          database,
          { span, filter: {}, groupBy: [] },
          { limit: 1_000, cursor: null },
        )
        expect(totalNano(all.data)).toBe(totalNano(data))
      }
    } finally {
      await database.close()
      await site.remove()
    }
  })
}

/** What a node of the version before usage of accounts writes, beside new nodes. */
const AS_BEFORE = `insert into usage_totals (span, start_ms, account_id, key_id, model, supplier, completed, client_left,
    supplier_failed, refused, interrupted, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
    reasoning_tokens, images, amount_nano, margin_nano, first_bytes, first_byte_ms, duration_ms)
  select span, start_ms, account_id, key_id || $1, model, supplier, completed, client_left, supplier_failed, refused,
    interrupted, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, images,
    amount_nano, margin_nano, first_bytes, first_byte_ms, duration_ms from usage_totals
  on conflict (span, start_ms, account_id, key_id, model, supplier) do update set
    completed = usage_totals.completed + excluded.completed,
    amount_nano = usage_totals.amount_nano + excluded.amount_nano`

// Nodes share no other database.
for (const engine of testedEngines().filter(({ name }) => name === 'PostgreSQL')) {
  test(`usage that nodes of the previous version count is in all totals on ${engine.name}`, async () => {
    const site = await engine.makeSite()
    const database = await site.openDatabase()
    try {
      await migrate(database, MIGRATIONS)
      for (const id of ACCOUNT_IDS) await saveAccount(database, { ...ACCOUNT, id })
      for (const batch of fc.sample(arbitraryBatches(), { numRuns: 2, seed: 3 }).flat()) {
        await writeSettlements(database, batch)
      }
      const total = async (groupBy: readonly (keyof UsageGroup)[]) => {
        const question = { span: 'day', filter: {}, groupBy } as const
        return totalNano((await listUsage(database, question, { limit: 1_000, cursor: null })).data)
      }
      const before = await total(EVERYTHING)
      // Rows that are there, then new ones: twice, and twice again.
      await database.rows(AS_BEFORE, [''])
      await database.rows(AS_BEFORE, ['_new'])
      expect(await total(EVERYTHING)).toBe(4n * before)
      expect(await total(['accountId'])).toBe(4n * before)
      expect(await total([])).toBe(4n * before)
    } finally {
      await database.close()
      await site.remove()
    }
  })
}

function totalNano(points: readonly UsagePoint[]): bigint {
  return points.reduce((sum, { figures }) => sum + figures.amountNano, 0n)
}

/** Engines sort texts differently. */
function sorted(points: readonly UsagePoint[]): UsagePoint[] {
  const place = ({ startMs, group }: UsagePoint) => JSON.stringify([startMs, group])
  return points.toSorted((left, right) => (place(left) < place(right) ? -1 : 1))
}

/** The plainest way to count, to be compared with the clever one. */
function countPlainly(settlements: readonly Settlement[], span: UsageSpan): UsagePoint[] {
  const spanMs = span === 'hour' ? 3_600_000 : 86_400_000
  const place = (one: Settlement) => {
    const endMs = Math.round(one.startedAtMs) + Math.round(one.durationMs)
    const startMs = endMs - (endMs % spanMs)
    return JSON.stringify([startMs, one.accountId, one.keyId, one.model, one.supplier])
  }
  return [...Map.groupBy(settlements, place)].map(([name, members]) => {
    const [startMs, accountId, keyId, model, supplier] = JSON.parse(name)
    const sum = (of: (one: Settlement) => number) => members.reduce((total, one) => total + of(one), 0)
    const count = (outcome: string) => members.filter((one) => one.outcome === outcome).length
    return {
      startMs,
      group: { accountId, keyId, model, supplier },
      figures: {
        completed: count('completed'),
        clientLeft: count('client_left'),
        supplierFailed: count('supplier_failed'),
        refused: count('refused'),
        interrupted: count('interrupted'),
        input: sum(({ usage }) => usage.input),
        cacheRead: sum(({ usage }) => usage.cacheRead),
        cacheWrite: sum(({ usage }) => usage.cacheWrite),
        output: sum(({ usage }) => usage.output),
        reasoning: sum(({ usage }) => usage.reasoning),
        images: sum(({ usage }) => usage.images),
        amountNano: members.reduce((total, { amountNano }) => total + amountNano, 0n),
        marginNano: members.reduce((total, { amountNano, costNano }) => total + amountNano - costNano, 0n),
        firstBytes: members.filter(({ firstByteMs }) => firstByteMs !== null).length,
        firstByteMs: sum(({ firstByteMs }) => Math.round(firstByteMs ?? 0)),
        durationMs: sum(({ durationMs }) => Math.round(durationMs)),
      },
    }
  })
}
