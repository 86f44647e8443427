import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import {
  type ClientSession,
  type ClientSessionFilter,
  SESSION_SORTS,
} from '../../../../vocabulary/observability/client-session.ts'
import type { Settlement } from '../../../../vocabulary/settlement.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { plansOf } from '../../testing/query-plans.ts'
import { settlement } from '../../testing/samples.ts'
import { listClientSessions } from './session-list.ts'

const START_MS = Date.UTC(2026, 2, 1)
const COUNT = 300

/** Both accounts have sessions of the same name; every fifth request has none. */
const ALL: readonly Settlement[] = Array.from({ length: COUNT }, (_, index) =>
  settlement({
    requestId: `req_${String(index).padStart(6, '0')}`,
    accountId: `acc_${index % 2}`,
    keyId: `key_${index % 4}`,
    model: index % 3 === 0 ? 'large' : 'small',
    session: index % 5 === 0 ? null : `run-${index % 23}`,
    agent: index % 7 === 0 ? 'reviewer' : null,
    outcome: index % 11 === 0 ? 'supplier_failed' : index % 13 === 0 ? 'client_left' : 'completed',
    amountNano: BigInt(index) * 1_000n,
    costNano: BigInt(index) * 600n,
    usage: { input: index, cacheRead: 2, cacheWrite: 1, output: 5, reasoning: 0, images: 0 },
    startedAtMs: START_MS + index * 60_000,
  }),
)

function countBy(settlements: readonly Settlement[]): ClientSession[] {
  const named = settlements.filter(({ session }) => session !== null)
  const groups = Map.groupBy(named, ({ accountId, keyId, session }) => `${accountId} ${keyId} ${session}`)
  return [...groups.values()].map((own) => {
    const sum = (count: (one: Settlement) => number) => own.reduce((all, one) => all + count(one), 0)
    const { accountId = '', keyId = '', session = null } = own[0] ?? {}
    return {
      session: session ?? '',
      accountId,
      keyId,
      firstAtMs: Math.min(...own.map((one) => one.startedAtMs)),
      lastAtMs: Math.max(...own.map((one) => one.startedAtMs)),
      requests: own.length,
      errors: sum(({ outcome }) => Number(outcome === 'supplier_failed')),
      inputTokens: sum(({ usage }) => usage.input + usage.cacheRead + usage.cacheWrite),
      outputTokens: sum(({ usage }) => usage.output),
      amountNano: own.reduce((all, one) => all + one.amountNano, 0n),
      costNano: own.reduce((all, one) => all + one.costNano, 0n),
      models: [...new Set(own.map(({ model }) => model))].sort(),
      agents: [...new Set(own.flatMap(({ agent }) => agent ?? []))].sort(),
    }
  })
}

function placeOf({ accountId, keyId, session }: ClientSession): string {
  return `${accountId} ${keyId} ${session}`
}

const inOrderOf = (one: ClientSession, other: ClientSession) => (placeOf(one) < placeOf(other) ? -1 : 1)

for (const engine of testedEngines()) {
  describe(`sessions on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeAll(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      // In several batches, the last of which was written in part before.
      await storage.writeSettlements(ALL.slice(0, 100))
      await storage.writeSettlements(ALL.slice(100, 250))
      await storage.writeSettlements(ALL.slice(200))
    })
    afterAll(async () => {
      await storage.close()
      await site.remove()
    })

    async function listAll(filter: ClientSessionFilter, limit = 7): Promise<ClientSession[]> {
      const given: ClientSession[] = []
      let cursor: string | null = null
      do {
        const page = await storage.listClientSessions(filter, { limit, cursor })
        given.push(...page.data)
        cursor = page.nextCursor
      } while (cursor !== null)
      return given
    }

    test('have the totals of their requests, each counted once', async () => {
      const listed = await listAll({})
      expect(listed.toSorted(inOrderOf)).toEqual(countBy(ALL).sort(inOrderOf))
    })

    test.each([...SESSION_SORTS])('are sorted by %s, page by page', async (sort) => {
      const values = (await listAll({ accountId: 'acc_1', sort })).map((one) =>
        Number(
          {
            last: one.lastAtMs,
            requests: one.requests,
            errors: one.errors,
            tokens: one.inputTokens + one.outputTokens,
            amount: one.amountNano,
          }[sort],
        ),
      )
      expect(values).toEqual(values.toSorted((one, other) => other - one))
      expect(values).toHaveLength(countBy(ALL).filter(({ accountId }) => accountId === 'acc_1').length)
    })

    test('are filtered by account, key, name, errors and time', async () => {
      const all = countBy(ALL)
      const cases: readonly [ClientSessionFilter, (one: ClientSession) => boolean][] = [
        [{ accountId: 'acc_0' }, ({ accountId }) => accountId === 'acc_0'],
        [{ accountId: 'acc_0', keyId: 'key_2' }, ({ keyId }) => keyId === 'key_2'],
        [{ session: 'run-1' }, ({ session }) => session.startsWith('run-1')],
        [{ session: 'run_1' }, () => false],
        [{ hasErrors: true }, ({ errors }) => errors > 0],
        [{ hasErrors: false }, ({ errors }) => errors === 0],
        [{ fromMs: START_MS + 280 * 60_000 }, ({ lastAtMs }) => lastAtMs >= START_MS + 280 * 60_000],
        [{ toMs: START_MS + 9 * 60_000 }, ({ firstAtMs }) => firstAtMs < START_MS + 9 * 60_000],
      ]
      for (const [filter, matches] of cases) {
        const wanted = all.filter(matches).sort(inOrderOf)
        expect((await listAll(filter, 50)).sort(inOrderOf)).toEqual(wanted)
      }
    })

    test('count a request once that was first presumed interrupted', async () => {
      const presumed = settlement({
        ...PRESUMED,
        requestId: 'req_lost',
        accountId: 'acc_7',
        session: 'lost',
        startedAtMs: START_MS,
      })
      await storage.writeSettlements([presumed])
      await storage.writeSettlements([{ ...presumed, outcome: 'completed', durationMs: 9, amountNano: 5n }])
      expect(await listAll({ accountId: 'acc_7' })).toMatchObject([
        { requests: 1, errors: 0, amountNano: 5n },
      ])
    })

    test('are deleted some time after their last request', async () => {
      const DAY_MS = 86_400_000
      const event = {
        id: 'evt_1',
        atMs: START_MS,
        actor: 'test',
        action: 'x',
        subject: 'y',
        before: null,
        after: null,
      }
      await storage.moveHorizon(START_MS + DAY_MS + 200 * 60_000, event as never)
      while ((await storage.carrySettlements(1_000)) > 0);
      const left = await listAll({})
      expect(left.length).toBeGreaterThan(0)
      expect(left.every(({ lastAtMs }) => lastAtMs >= START_MS + 200 * 60_000)).toBeTrue()
    })
  })
}

const PRESUMED = {
  outcome: 'interrupted',
  supplier: null,
  attempts: [],
  amountNano: 0n,
  costNano: 0n,
  durationMs: 0,
} as const

test.each<readonly [string, ClientSessionFilter]>([
  ['client_sessions_by_time', { fromMs: 5 }],
  ['client_sessions_of_account', { accountId: 'a', hasErrors: true, toMs: 9 }],
  ['client_sessions_of_account', { accountId: 'a', sort: 'amount' }],
  ['client_sessions_of_key', { accountId: 'a', keyId: 'k', fromMs: 5 }],
])('the index %s serves %j', async (index, filter) => {
  const plans = await plansOf((database) => listClientSessions(database, filter, { limit: 5, cursor: null }))
  expect(plans.join('\n')).toContain(`USING INDEX ${index}`)
  expect(plans.join('\n')).not.toContain('SCAN client_sessions\n')
})
