import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { alertsOf, costOf, spend } from '../alerts/support.ts'
import { createKey, openAccount } from '../support/accounts.ts'
import { readError } from '../support/chat.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { addModel } from '../support/supply.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'

let clock: MovableClock
let gateway: TestGateway
let dataFolder: string
beforeAll(async () => {
  clock = createMovableClock(Date.parse('2026-01-01T00:00:00Z'))
  dataFolder = makeDataFolder()
  gateway = await startTestGateway({ clock, dataFolder })
  await addModel(gateway, 'priced', { suppliers: ['sandbox-openai'] })
})
afterAll(async () => {
  await gateway.stop()
  removeDataFolder(dataFolder)
})

// The cases below are in order of time, because the one clock of the gateway only goes forward.
function moveTo(time: string): void {
  const ms = Date.parse(time) - clock.nowMs()
  if (ms < 0) throw new Error(`${time} is over`)
  clock.advance(ms)
}

async function statusOf(secret: string): Promise<number> {
  const response = await spend(gateway, secret)
  return response.status
}

interface Usage {
  readonly period: string
  readonly spent: string
  readonly held: string
  readonly remaining: string | null
  readonly resets_at: string | null
  readonly spent_this_month: string
}

const usageOf = async (id: string) => (await gateway.operator<{ usage: Usage }>('GET', `/keys/${id}`)).usage

interface Rollover {
  readonly period: string
  /** When the limit is spent. */
  readonly spentAt: string
  /** The first moment of the next period. */
  readonly next: string
}

const ROLLOVERS: readonly Rollover[] = [
  { period: 'monthly', spentAt: '2026-01-15T08:00:00Z', next: '2026-02-01T00:00:00Z' },
  { period: 'monthly', spentAt: '2026-02-01T00:00:00Z', next: '2026-03-01T00:00:00Z' },
  { period: 'monthly', spentAt: '2026-04-30T23:59:59.999Z', next: '2026-05-01T00:00:00Z' },
  { period: 'weekly', spentAt: '2026-06-07T23:59:59.999Z', next: '2026-06-08T00:00:00Z' },
  { period: 'weekly', spentAt: '2026-06-08T00:00:00Z', next: '2026-06-15T00:00:00Z' },
  { period: 'daily', spentAt: '2026-06-30T00:00:00Z', next: '2026-07-01T00:00:00Z' },
  { period: 'daily', spentAt: '2026-12-31T12:00:00Z', next: '2027-01-01T00:00:00Z' },
  { period: 'weekly', spentAt: '2027-12-31T12:00:00Z', next: '2028-01-03T00:00:00Z' },
  { period: 'daily', spentAt: '2028-02-28T12:00:00Z', next: '2028-02-29T00:00:00Z' },
  { period: 'daily', spentAt: '2028-02-29T12:00:00Z', next: '2028-03-01T00:00:00Z' },
  { period: 'monthly', spentAt: '2032-02-29T12:00:00Z', next: '2032-03-01T00:00:00Z' },
]

describe('a limit that is spent', () => {
  test.each(ROLLOVERS)('$period on $spentAt is free again at $next and not before', async (rollover) => {
    const { period, spentAt, next } = rollover
    moveTo(spentAt)
    const account = await openAccount(gateway)
    const { id, secret } = await createKey(gateway, account, {
      usage_limit: { period, amount: costOf(1n) },
    })
    expect(await statusOf(secret)).toBe(200)
    expect(await usageOf(id)).toMatchObject({ period, spent: costOf(1n), remaining: '0', resets_at: next })
    moveTo(new Date(Date.parse(next) - 1).toISOString())
    const refused = await spend(gateway, secret)
    expect((await readError(refused)).message).toBe('This API key has reached its spending limit.')
    moveTo(next)
    expect(await usageOf(id)).toMatchObject({ spent: '0', remaining: costOf(1n) })
    expect(await statusOf(secret)).toBe(200)
    expect(await statusOf(secret)).toBe(403)
  })

  test('forever stays spent, in another year and after a restart', async () => {
    const account = await openAccount(gateway)
    const { id, secret } = await createKey(gateway, account, {
      usage_limit: { period: 'forever', amount: costOf(1n) },
    })
    expect(await statusOf(secret)).toBe(200)
    clock.advance(400 * 86_400_000)
    expect(await statusOf(secret)).toBe(403)
    await gateway.stop()
    gateway = await startTestGateway({ clock, dataFolder })
    expect(await statusOf(secret)).toBe(403)
    expect(await usageOf(id)).toEqual({
      period: 'forever',
      spent: costOf(1n),
      held: '0',
      remaining: '0',
      resets_at: null,
      spent_this_month: '0',
    })
  })
})

test('a budget warns again in the next month', async () => {
  moveTo('2036-02-29T23:59:59.999Z')
  const account = await openAccount(gateway)
  const budget = { amount: costOf(1n), thresholds: [100] }
  const { id, secret } = await createKey(gateway, account, { budget })
  await spend(gateway, secret)
  expect(await usageOf(id)).toMatchObject({
    period: 'forever',
    remaining: null,
    spent_this_month: costOf(1n),
  })
  moveTo('2036-03-01T00:00:00Z')
  await spend(gateway, secret)
  await spend(gateway, secret)
  expect((await alertsOf(gateway, account)).map(({ data }) => data.month)).toEqual(['2036-02', '2036-03'])
})
