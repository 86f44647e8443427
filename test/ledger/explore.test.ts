import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type NodeStorage, openStorage } from '../../src/edges/storage/index.ts'
import { MEASURES_WAIT_MS } from '../../src/edges/storage/tables/explore/measures.ts'
import { rebuildUsage } from '../../src/edges/storage/tables/money/usage.ts'
import { openAt, SECRETS, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { ACCOUNT, auditEvent, settlement } from '../../src/edges/storage/testing/samples.ts'
import { exploreOperations } from '../../src/manage/operations/observability/explore.ts'
import type { OperationParts } from '../../src/manage/operations/parts.ts'
import { priceOf } from '../../src/rules/ledger/charge.ts'
import type { Settlement } from '../../src/vocabulary/settlement.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
// A Wednesday at noon.
const NOW_MS = Date.UTC(2026, 10, 18, 12)
const PRICE = {
  inputNanoPerMillion: 2_000_000_000n,
  outputNanoPerMillion: 8_000_000_000n,
  cacheReadNanoPerMillion: 500_000_000n,
  cacheWriteNanoPerMillion: 2_000_000_000n,
  imageNano: 0n,
}
const MODELS = ['large', 'middle', 'small', 'tiny']
const [failed] = settlement({}).attempts

/** Four models over 40 days, ten requests a day; the larger a model's number, the rarer and slower it is. */
function requests(): Settlement[] {
  return Array.from({ length: 400 }, (_, index) => {
    const day = Math.floor(index / 10)
    const number = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3][index % 10] ?? 0
    const usage = { input: 100, cacheRead: 300, cacheWrite: 0, output: 50, reasoning: 0, images: 0 }
    const amountNano = priceOf(usage, PRICE)
    const isFailed = index % 10 === 9
    return settlement({
      requestId: `req_${String(index).padStart(4, '0')}`,
      accountId: ACCOUNT.id,
      keyId: `key_${index % 2}`,
      model: MODELS[number] ?? '',
      supplier: 'acme',
      session: index % 10 === 0 ? 'session-1' : null,
      usage,
      price: PRICE,
      amountNano,
      costNano: amountNano - 10_000n,
      outcome: isFailed ? 'supplier_failed' : 'completed',
      attempts: isFailed && failed !== undefined ? [{ ...failed, status: 503 }] : [],
      startedAtMs: NOW_MS - (39 - day) * DAY_MS - HOUR_MS + (index % 10) * 1_000,
      firstByteMs: 100 * (number + 1),
      durationMs: 1_000 * (number + 1),
    })
  })
}

for (const engine of testedEngines()) {
  describe(`explore on ${engine.name}`, () => {
    let site: Site
    let nodes: NodeStorage[]
    beforeAll(async () => {
      site = await engine.makeSite()
      nodes = [await openAt(site), await openAt(site)]
      await nodes[0]?.saveAccount({ ...ACCOUNT, id: ACCOUNT.id }, auditEvent('aud_1'))
      const all = requests()
      // Two nodes count the same groups at the same time, and one sees some requests twice.
      await Promise.all(
        nodes.map(async (node, number) => {
          const own = all.filter((_, index) => index % 2 === number)
          for (let start = 0; start < own.length; start += 50) {
            await node.writeSettlements(own.slice(start, start + 60))
          }
        }),
      )
      // A node that stops writes what it has measured.
      await nodes[1]?.close()
      nodes[1] = await openAt(site)
    })
    afterAll(async () => {
      for (const node of nodes) await node.close()
      await site.remove()
    })

    function operations() {
      const [storage] = nodes
      const parts = {
        storage,
        catchUp: async () => {},
        clock: { nowMs: () => NOW_MS },
        random: { id: (prefix: string) => `${prefix}_1`, secret: () => '' },
      }
      return exploreOperations(parts as unknown as OperationParts)
    }

    const ask = (query: Parameters<ReturnType<typeof operations>['explore']>[0]) =>
      operations().explore(query)
    const each = { fromMs: NOW_MS - 9 * DAY_MS, accountId: ACCOUNT.id }

    test('series of the largest groups and the rest add up to all', async () => {
      const answer = await ask({ ...each, metric: 'spend', groupBy: 'model', top: 2, isCompared: true })
      expect(answer.periods).toHaveLength(10)
      expect(answer.series.map(({ group, isRest }) => [group, isRest])).toEqual([
        ['large', false],
        ['middle', false],
        [null, true],
      ])
      // 0.75 millionths of a token's price: 100 × 2, 300 × 0.5 and 50 × 8 USDT per million.
      expect(answer.all).toMatchObject({ total: '0.075', totalBefore: '0.075' })
      expect(answer.series.map(({ total }) => total)).toEqual(['0.03', '0.0225', '0.0225'])
      expect(answer.series[0]?.values).toEqual(Array.from({ length: 10 }, () => '0.003'))
      expect(answer.series[2]?.valuesBefore).toEqual(Array.from({ length: 10 }, () => '0.00225'))
      expect(answer.periodsBefore[0]).toBe('2026-10-30T00:00:00Z')
      // 18 days so far, and 12.5 days at 0.0075 a day.
      expect(answer.forecast).toMatchObject({ soFar: '0.135', expected: '0.22875', days: 7 })
    })

    test('weeks and months are the sums of their days, percentiles those of all their requests', async () => {
      const weeks = await ask({
        ...each,
        fromMs: NOW_MS - 20 * DAY_MS,
        granularity: 'week',
        metric: 'requests',
      })
      expect(weeks.all.values).toEqual(['70', '70', '70', '30'])
      const months = await ask({ ...each, granularity: 'month', metric: 'first_byte_p50', groupBy: 'model' })
      expect(months.periods).toEqual(['2026-11-01T00:00:00Z'])
      const medians = months.series.map(({ group, total }) => [group, Number(total)] as const)
      for (const [number, model] of MODELS.entries()) {
        const [, median = 0] = medians.find(([group]) => group === model) ?? []
        expect(Math.abs(Math.log(median / (100 * (number + 1))))).toBeLessThan(Math.log(1.34))
      }
      const all = await ask({ ...each, metric: 'duration_p99' })
      expect(Number(all.all.total)).toBeGreaterThan(2_200)
      expect(all.forecast).toBeNull()
    })

    test('cache hits, what they saved, speed and failures by code', async () => {
      const totalOf = async (metric: 'cache_hit_rate' | 'saved' | 'tokens_per_second' | 'error_rate') =>
        (await ask({ ...each, metric })).all.total
      expect(await totalOf('cache_hit_rate')).toBe('0.75')
      // 300 tokens at 1.5 USDT less per million, a hundred times.
      expect(await totalOf('saved')).toBe('0.045')
      expect(await totalOf('error_rate')).toBe('0.1')
      const speed = await ask({ ...each, metric: 'tokens_per_second', groupBy: 'model' })
      expect(speed.series[0]).toMatchObject({ group: 'large', total: '55.56' })
      await nodes[0]?.saveRefusals(
        [
          {
            minuteMs: NOW_MS - HOUR_MS,
            accountId: ACCOUNT.id,
            keyId: 'key_0',
            code: 'rate_limit_exceeded',
            count: 100,
            lastAtMs: NOW_MS - HOUR_MS,
          },
        ],
        [],
      )
      const codes = await ask({ ...each, metric: 'error_rate', groupBy: 'code' })
      expect(codes.series.map(({ group, total }) => [group, total])).toEqual([
        ['rate_limit_exceeded', '0.5'],
        ['supplier_failed_503', '0.05'],
      ])
      expect(codes.all.total).toBe('0.55')
      const ofKey = await ask({ ...each, metric: 'errors', groupBy: 'code', keyId: 'key_1' })
      expect(ofKey.series.map(({ group, total }) => [group, total])).toEqual([['supplier_failed_503', '10']])
    })

    test('sessions are ranked by what they spent; what is not counted is refused', async () => {
      const sessions = await ask({ ...each, metric: 'spend', groupBy: 'session' })
      expect(sessions.series.map(({ group, total }) => [group, total])).toEqual([
        [null, '0.0675'],
        ['session-1', '0.0075'],
      ])
      expect(ask({ ...each, metric: 'saved', groupBy: 'key' })).rejects.toThrow(
        'by account, model and supplier',
      )
      expect(ask({ ...each, metric: 'spend', groupBy: 'code' })).rejects.toThrow('Only errors')
      expect(ask({ ...each, granularity: 'hour', fromMs: NOW_MS - 90 * DAY_MS })).rejects.toThrow(
        'at most 32 days',
      )
      const nobody = await ask({ metric: 'duration_p95', groupBy: 'model', accountId: 'acc_nobody' })
      expect(nobody.series).toEqual([])
      expect(nobody.all.total).toBeNull()
    })

    test('a rebuild counts the same', async () => {
      const before = await ask({ ...each, metric: 'duration_p95', groupBy: 'model' })
      const errors = await ask({ ...each, metric: 'errors', groupBy: 'code' })
      const database = await site.openDatabase()
      await database.rows('update usage_measures set duration3 = 99, saved_nano = 1', [])
      await rebuildUsage(database)
      await database.close()
      expect(await ask({ ...each, metric: 'duration_p95', groupBy: 'model' })).toEqual(before)
      expect(await ask({ ...each, metric: 'errors', groupBy: 'code' })).toEqual(errors)
      expect((await ask({ ...each, metric: 'saved' })).all.total).toBe('0.045')
    })

    test('views are saved by name, up to a number of them', async () => {
      const view = { accountId: ACCOUNT.id, name: 'Spend', search: 'metric=spend' }
      const saved = await operations().saveView(view, 'user:ada')
      expect(await operations().saveView({ ...view, search: 'metric=saved' }, 'user:ben')).toMatchObject({
        id: saved.id,
        search: 'metric=saved',
      })
      expect(await operations().listViews(ACCOUNT.id)).toHaveLength(1)
      expect(await operations().listViews('')).toEqual([])
      expect(operations().deleteView('', saved.id)).rejects.toThrow('saved view')
      await operations().deleteView(ACCOUNT.id, saved.id)
      expect(await operations().listViews(ACCOUNT.id)).toEqual([])
    })
  })
}

test('what is measured is written some time after the first of it, all at once', async () => {
  const [sqlite] = testedEngines()
  if (sqlite === undefined) return
  const site = await sqlite.makeSite()
  const due: [number, () => void][] = []
  const timers = {
    after: (delayMs: number, run: () => void) => {
      due.push([delayMs, run])
      return () => {}
    },
  }
  const storage = await openStorage({ ...site, secrets: SECRETS, timers })
  const database = await site.openDatabase()
  const countStored = async () => (await database.rows('select start_ms from usage_measures', [])).length
  try {
    await storage.saveAccount(ACCOUNT, auditEvent('aud_1'))
    const all = requests()
    for (const size of [300, 1]) await storage.writeSettlements(all.splice(0, size))
    expect(due.map(([delayMs]) => delayMs)).toEqual([MEASURES_WAIT_MS])
    expect(await countStored()).toBe(0)
    due[0]?.[1]()
    await new Promise((resolve) => setImmediate(resolve))
    // Behind what was begun by then.
    await storage.ping()
    expect(await countStored()).toBeGreaterThan(0)
  } finally {
    await database.close()
    await storage.close()
    await site.remove()
  }
})
