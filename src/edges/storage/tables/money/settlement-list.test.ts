import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Storage } from '../../../../manage/ports/storage.ts'
import { errorCodeOf } from '../../../../rules/ledger/error-code.ts'
import type { Settlement, SettlementListFilter } from '../../../../vocabulary/settlement.ts'
import { OUTCOMES } from '../../../../vocabulary/words.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { plansOf } from '../../testing/query-plans.ts'
import { settlement } from '../../testing/samples.ts'
import { listSettlements } from './settlement-list.ts'

const START_MS = Date.UTC(2026, 2, 1)
const HOUR_MS = 3_600_000
const COUNT = 400

/** Scattered over days, some of them lasting for hours, several at the same moment. */
const ALL: readonly Settlement[] = Array.from({ length: COUNT }, (_, index) =>
  settlement({
    requestId: `req_${String((index * 7_919) % COUNT).padStart(6, '0')}`,
    accountId: `acc_${index % 2}`,
    keyId: `key_${index % 4}`,
    model: index % 11 === 0 ? 'rare' : 'common',
    supplier: index % 6 === 0 ? 'seldom' : 'usual',
    stream: index % 8 === 0,
    attempts: attemptsOf(index),
    // Both accounts have the same ids, and most requests have none.
    session: index % 5 === 0 ? `session-${index % 3}` : null,
    agent: index % 7 === 0 ? 'reviewer' : null,
    outcome: OUTCOMES[index % 9 === 0 ? (index / 9) % 5 : 0] ?? 'completed',
    startedAtMs: START_MS + Math.floor(index / 3) * 40 * 60_000,
    durationMs: index % 13 === 0 ? 9 * HOUR_MS : 1_500,
  }),
)

/** The last attempt gives the code of a request that failed. */
function attemptsOf(index: number): Settlement['attempts'] {
  const attempt = { supplier: 'usual', credentialId: 'cred_1', reason: 'first choice', startedAtMs: START_MS }
  const timing = { firstByteMs: null, durationMs: 5 }
  const failures = ['timeout: slow', 'input: messages', 'server: broken']
  const failed = { ...attempt, ...timing, result: 'failed' as const, status: null }
  const first = { ...failed, failure: 'overloaded: later' }
  return [first, { ...failed, failure: failures[index % 3] ?? '' }]
}

const anyFilter: fc.Arbitrary<SettlementListFilter> = fc.record(
  {
    accountId: fc.constantFrom('acc_0', 'acc_1', 'acc_9'),
    keyId: fc.constantFrom('key_0', 'key_1'),
    model: fc.constantFrom('rare', 'common', 'none'),
    session: fc.constantFrom('session-0', 'session-1', 'session-9'),
    agent: fc.constantFrom('reviewer', 'nobody'),
    outcome: fc.constantFrom(...OUTCOMES),
    supplier: fc.constantFrom('seldom', 'usual', 'none'),
    stream: fc.boolean(),
    code: fc.constantFrom('provider_timeout', 'invalid_request', 'provider_error', 'auth_required'),
    fromMs: fc.integer({ min: START_MS - HOUR_MS, max: START_MS + 90 * HOUR_MS }),
    toMs: fc.integer({ min: START_MS, max: START_MS + 100 * HOUR_MS }),
  },
  { requiredKeys: [] },
)

function expected(filter: SettlementListFilter): string[] {
  const {
    accountId,
    keyId,
    model,
    session,
    agent,
    outcome,
    supplier,
    stream,
    code,
    fromMs = 0,
    toMs = Number.MAX_SAFE_INTEGER,
  } = filter
  return ALL.filter(
    (each) =>
      (accountId === undefined || each.accountId === accountId) &&
      (keyId === undefined || each.keyId === keyId) &&
      (model === undefined || each.model === model) &&
      (session === undefined || each.session === session) &&
      (agent === undefined || each.agent === agent) &&
      (outcome === undefined || each.outcome === outcome) &&
      (supplier === undefined || each.supplier === supplier) &&
      (stream === undefined || each.stream === stream) &&
      (code === undefined || errorCodeOf(each) === code) &&
      each.startedAtMs >= fromMs &&
      each.startedAtMs < toMs,
  )
    .toSorted(
      (one, other) => other.startedAtMs - one.startedAtMs || (one.requestId < other.requestId ? 1 : -1),
    )
    .map(({ requestId }) => requestId)
}

for (const engine of testedEngines()) {
  describe(`lists of settlements on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeAll(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.writeSettlements(ALL)
    })
    afterAll(async () => {
      await storage.close()
      await site.remove()
    })

    test('hold what matches the filter, newest first, page by page', async () => {
      await fc.assert(
        fc.asyncProperty(anyFilter, fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
          const given: string[] = []
          let cursor: string | null = null
          do {
            const page = await storage.listSettlements(filter, { limit, cursor })
            given.push(...page.data.map(({ requestId }) => requestId))
            cursor = page.nextCursor
          } while (cursor !== null)
          expect(given).toEqual(expected(filter))
        }),
        { numRuns: 100 },
      )
    })

    test('are exported by the same filters, oldest first', async () => {
      const filter = { supplier: 'seldom', code: 'provider_timeout' } as const
      const found = await storage.readSettlements(filter, { limit: 1_000, cursor: null })
      expect(found.length).toBeGreaterThan(0)
      const ids = found.map(({ item }) => item.requestId)
      expect(ids.toSorted()).toEqual(expected(filter).toSorted())
      const second = await storage.readSettlements(filter, { limit: 5, cursor: found[0]?.cursor ?? null })
      expect(second.map(({ item }) => item.requestId)).toEqual(ids.slice(1, 6))
    })

    test('are found by the beginning of an id, which must not be too short', async () => {
      const early = { requestId: 'req_019a2b3c4d5e00001111', accountId: 'acc_3', startedAtMs: START_MS }
      const late = { requestId: 'req_019a2b3c4dff00002222', accountId: 'acc_3', startedAtMs: START_MS + 1 }
      const other = { requestId: 'req_019a2b3c4d5e00003333', accountId: 'acc_4', startedAtMs: START_MS }
      await storage.writeSettlements([early, late, other].map((given) => settlement(given)))
      const find = async (requestId: string) => {
        const filter = { requestId, accountId: 'acc_3' }
        const first = await storage.listSettlements(filter, { limit: 1, cursor: null })
        const rest = await storage.listSettlements(filter, { limit: 9, cursor: first.nextCursor })
        return [...first.data, ...(first.nextCursor === null ? [] : rest.data)].map((one) => one.requestId)
      }
      expect(await find('req_019a2b3c4d')).toEqual([late.requestId, early.requestId])
      expect(await find('req_019a2b3c4d5e')).toEqual([early.requestId])
      expect(await find(early.requestId)).toEqual([early.requestId])
      expect(await find(other.requestId)).toEqual([])
      expect(find('req_019a2b')).rejects.toThrow('at least its first 14 characters')
    })
  })
}

const NARROW = { keyId: 'key_0', model: 'common', outcome: 'refused', fromMs: 5, toMs: 9 } as const

test.each<readonly [string, SettlementListFilter]>([
  ['settlements_of_session', { session: 's' }],
  ['settlements_of_session', { session: 's', agent: 'a', accountId: 'acc_0', ...NARROW }],
  ['settlements_of_agent', { agent: 'a' }],
  ['settlements_of_agent', { agent: 'a', accountId: 'acc_0', ...NARROW }],
  ['settlements_of_account', { accountId: 'acc_0', stream: true }],
  ['settlements_of_account_by_outcome', { accountId: 'acc_0', outcome: 'refused', stream: true }],
  ['settlements_by_time', { outcome: 'refused', fromMs: 5 }],
  ['settlements_by_time', { supplier: 's', fromMs: 5 }],
  ['sqlite_autoindex_settlements_1', { requestId: 'req_019a2b3c4d5e', accountId: 'acc_0', ...NARROW }],
])('the index %s serves %j', async (index, filter) => {
  const plans = await plansOf((database) => listSettlements(database, filter, { limit: 5, cursor: null }))
  expect(plans[0]).toContain(`USING INDEX ${index} `)
})
