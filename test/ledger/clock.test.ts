import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { chat, say } from '../support/chat.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { PauseGate } from '../support/pause-gate.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { StreamReader } from '../support/stream-reader.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let dataFolder: string
let clock: MovableClock
let gateway: TestGateway
let gated: Sandbox
let gate: PauseGate
let key: IssuedKey

beforeEach(() => {
  dataFolder = makeDataFolder()
  gate = new PauseGate()
  gated = startSandbox({ wait: gate.wait })
})
afterEach(async () => {
  await gateway.stop()
  await gated.stop()
  removeDataFolder(dataFolder)
})

async function open(start: string): Promise<void> {
  clock = createMovableClock(Date.parse(start))
  gateway = await startTestGateway({ clock, dataFolder })
  await addSupplier(gateway, { id: 'gated', sandbox: gated })
  await addModel(gateway, 'gated', { suppliers: ['gated'] })
  const usage_limit = { period: 'daily', amount: '5' }
  key = await createKey(gateway, await openAccount(gateway), { usage_limit })
}

/** A request that is under way while the clock goes on, or back. */
async function spendWhile(moveMs: number): Promise<void> {
  gate.allow(2)
  gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
  const fields = { model: 'gated', stream: true, ...say('The quick brown fox jumps over the lazy dog.') }
  const reader = new StreamReader(await chat(gateway.url, fields, { key: key.secret }))
  await reader.readUntil('quick')
  clock.advance(moveMs)
  gate.open()
  await reader.readToEnd()
}

interface KeyUsage {
  readonly period: string
  readonly spent: string
  readonly held: string
  readonly spent_this_month: string
}

/** What the key has spent; a restarted gateway must report the same. */
async function usageNowAndAfterRestart(): Promise<KeyUsage> {
  const read = async () => (await gateway.operator<{ usage: KeyUsage }>('GET', `/keys/${key.id}`)).usage
  const before = await read()
  expect(await gateway.operator<object>('GET', '/ledger/verify')).toMatchObject({ difference: null })
  await gateway.stop()
  gateway = await startTestGateway({ clock, dataFolder })
  expect(await read()).toEqual(before)
  expect(before.held).toBe('0')
  return before
}

describe('a request counts at the time it ends', () => {
  test.each([
    ['midnight', '2026-06-10T23:30:00Z', HOUR_MS],
    ['the end of a month', '2026-06-30T23:30:00Z', HOUR_MS],
    ['29 February', '2028-02-28T23:30:00Z', HOUR_MS],
    ['the end of 29 February', '2028-02-29T23:30:00Z', HOUR_MS],
    ['the end of a year', '2026-12-31T23:30:00Z', HOUR_MS],
  ])('over %s', async (_name, start, moveMs) => {
    await open(start)
    await spendWhile(moveMs)
    const { amount } = await onlySettlementOf(gateway, key.id)
    expect(Number(amount)).toBeGreaterThan(0)
    expect(await usageNowAndAfterRestart()).toMatchObject({ spent: amount, spent_this_month: amount })
    clock.advance(DAY_MS)
    expect(await usageNowAndAfterRestart()).toMatchObject({ spent: '0' })
  })
})

describe('a clock that is set back while a request is under way', () => {
  test.each([
    ['by an hour', HOUR_MS],
    ['by days, into another month', 20 * DAY_MS],
  ])('%s: it took no time, and the ledger is consistent', async (_name, backMs) => {
    await open('2026-06-10T12:00:00Z')
    await spendWhile(-backMs)
    const settlement = await onlySettlementOf(gateway, key.id)
    expect(settlement).toMatchObject({ started_at: '2026-06-10T12:00:00Z', duration_ms: 0 })
    expect(await usageNowAndAfterRestart()).toMatchObject({ spent: settlement.amount })
  })
})
