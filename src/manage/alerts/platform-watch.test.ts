import { expect, test } from 'bun:test'
import { buildSnapshot } from '../../rules/catalog/build-snapshot.ts'
import type { Notice } from '../../vocabulary/alert.ts'
import type { OperatorMessage } from '../../vocabulary/observability/alert-channel.ts'
import type { Standing } from '../../vocabulary/supply.ts'
import { aCredential, aModel, aRoute, aSupplier } from '../../vocabulary/testing/specimens.ts'
import { PlatformWatch } from './platform-watch.ts'

test('operators are told without the database that settlements wait for it, and when they do not', async () => {
  const empty = { accounts: [], keys: [], suppliers: [], credentials: [], models: [], routes: [], version: 1 }
  const snapshot = buildSnapshot(empty)
  const journal: { waiting: number; oldestAtMs: number | null } = { waiting: 0, oldestAtMs: null }
  const told: OperatorMessage[] = []
  const noted: (Notice | string)[] = []
  let nowMs = 1_000_000
  const watch = new PlatformWatch({
    snapshot: () => snapshot,
    platform: {
      standing: () => {
        throw new Error('there are no routes')
      },
      journal,
      nodeName: 'gateway-1',
    },
    storage: {
      loadSinkStates: () => Promise.reject(new Error('the database is away')),
      loadOpenOccasions: () => Promise.reject(new Error('the database is away')),
    },
    clock: { nowMs: () => nowMs },
    watch: { note: (notice) => noted.push(notice), noteEnded: (occasion) => noted.push(occasion) },
    tellNow: async (message) => void told.push(message),
    newId: (prefix) => `${prefix}_1`,
    openOccasions: [],
  })
  const look = () => watch.look().catch(() => undefined)
  Object.assign(journal, { waiting: 7, oldestAtMs: nowMs })
  await look()
  expect(told).toEqual([])
  nowMs += 61_000
  await look()
  await look()
  expect(told).toMatchObject([
    {
      status: 'raised',
      kind: 'journal.waiting',
      data: { node: 'gateway-1', waiting: 7, oldest_seconds: 61 },
    },
  ])
  Object.assign(journal, { waiting: 0, oldestAtMs: null })
  await look()
  expect(told.map(({ status }) => status)).toEqual(['raised', 'resolved'])
  expect(noted).toMatchObject([{ kind: 'journal.waiting' }, 'journal.waiting gateway-1'])
})

const ROUTE = aRoute({ modelId: 'gpt-5', supplierId: 'openai' })
const OCCASION = 'circuit.open gpt-5/routes/openai cred_1'
const MINUTES_MS = 60_000

/** Nodes with one route on one database, and what operators are told. */
function startNodes() {
  const rows = {
    accounts: [],
    keys: [],
    models: [aModel({ id: 'gpt-5' })],
    routes: [ROUTE],
    version: 1,
    suppliers: [aSupplier({ id: 'openai' })],
    credentials: [aCredential({ id: 'cred_1', supplierId: 'openai' })],
  }
  const snapshot = buildSnapshot(rows)
  const open = new Set<string>()
  const told: string[] = []
  const clock = { timeMs: 1_000_000, nowMs: () => clock.timeMs }
  const startNode = () => {
    const health: Pick<Standing, 'circuit' | 'latencyMs'> = { circuit: 'closed', latencyMs: null }
    const rest = { opensAgainAtMs: null, coolingUntilMs: null, successRate: 1, supplierRemaining: null }
    const watch = new PlatformWatch({
      snapshot: () => snapshot,
      platform: {
        standing: () => ({ ...rest, ...health }),
        journal: { waiting: 0, oldestAtMs: null },
        nodeName: 'node',
      },
      storage: { loadSinkStates: async () => new Map(), loadOpenOccasions: async () => [...open] },
      clock,
      // As the database does: an occasion is raised once until it has ended, and ends once.
      watch: {
        note: ({ occasion }) => {
          if (occasion === null || open.has(occasion)) return
          open.add(occasion)
          told.push(`raised ${occasion}`)
        },
        noteEnded: (occasion) => {
          if (open.delete(occasion)) told.push(`resolved ${occasion}`)
        },
      },
      tellNow: async () => {},
      newId: (prefix) => `${prefix}_1`,
      openOccasions: [...open],
    })
    const see = (circuit: Standing['circuit'], latencyMs: number | null) => {
      Object.assign(health, { circuit, latencyMs })
      return watch.look()
    }
    return { see }
  }
  return { startNode, told, clock }
}

test('a circuit alert comes back when one node sees a success and another does not', async () => {
  const { startNode, told, clock } = startNodes()
  const [one, other] = [startNode(), startNode()]
  for (let minute = 0; minute <= 6; minute += 1) {
    await one.see('open', null)
    await other.see('half-open', null)
    clock.timeMs += MINUTES_MS
  }
  expect(told).toEqual([`raised ${OCCASION}`])
  await other.see('closed', 300)
  await one.see('open', null)
  await other.see('closed', 300)
  expect(told.slice(1)).toEqual([`resolved ${OCCASION}`, `raised ${OCCASION}`])
  await one.see('closed', 200)
  await one.see('closed', 200)
  expect(told.slice(3)).toEqual([`resolved ${OCCASION}`])
})

test('a node that starts does not resolve a circuit alert before it has seen a success', async () => {
  const { startNode, told, clock } = startNodes()
  const first = startNode()
  await first.see('open', null)
  clock.timeMs += 6 * MINUTES_MS
  await first.see('open', null)
  const second = startNode()
  await second.see('closed', null)
  expect(told).toEqual([`raised ${OCCASION}`])
  await second.see('closed', 250)
  expect(told).toEqual([`raised ${OCCASION}`, `resolved ${OCCASION}`])
})
