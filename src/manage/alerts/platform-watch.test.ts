import { expect, test } from 'bun:test'
import { buildSnapshot } from '../../rules/catalog/build-snapshot.ts'
import type { Notice } from '../../vocabulary/alert.ts'
import type { OperatorMessage } from '../../vocabulary/observability/alert-channel.ts'
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
    storage: { loadSinkStates: () => Promise.reject(new Error('the database is away')) },
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
