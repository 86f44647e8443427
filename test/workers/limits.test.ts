import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openAccount } from '../nodes/support/fleet.ts'
import { chatRequest } from '../robustness/support/chat-load.ts'
import { makeFolder, removeFolder } from '../robustness/support/gateway-process.ts'
import { makeDatabase } from '../robustness/support/own-database.ts'
import { readStoredLedger } from '../robustness/support/stored-ledger.ts'
import { type Crew, startCrew, stopCrew } from './support/crew.ts'

const PATIENCE_MS = 300_000
const WORKERS = 3
const LIMIT = 60
const REQUESTS = 200
// At most 3 tokens of prompt for 500 nano each, and ten of output for 1,500 each.
const HOLD_NANO = 16_500n
const HOLDS = 20n

let folder = ''
let crew: Crew | null = null

beforeEach(() => {
  folder = makeFolder()
})

afterEach(async () => {
  await stopCrew(crew)
  crew = null
  removeFolder(folder)
})

/** Statuses of many requests at once, each on its own connection. */
async function askManyTimes(url: string, secret: string): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  const request = chatRequest({ model: 'sandbox-chat', max_tokens: 10 }, secret)
  const asked = Array.from({ length: REQUESTS }, async () => {
    const response = await fetch(`${url}/v1/chat/completions`, { ...request, keepalive: false })
    await response.text()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
  })
  await Promise.all(asked)
  return statuses
}

async function expectExactLimits(databaseUrl: string | null): Promise<void> {
  const running = await startCrew(folder, WORKERS, databaseUrl === null ? {} : { DATABASE_URL: databaseUrl })
  crew = running
  const hurried = await openAccount(running, { key: { rpm: LIMIT } })
  const amount = toUsdt(HOLD_NANO * HOLDS)
  const thrifty = await openAccount(running, { key: { usage_limit: { period: 'daily', amount } } })
  const prepaid = await openAccount(running, { balance: amount })
  const ask = ({ secret }: { readonly secret: string }) => askManyTimes(running.url, secret)
  expect(await ask(hurried)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT })
  const admitted = [await ask(thrifty), await ask(prepaid)].map((statuses) => {
    expect(Object.keys(statuses)).toEqual(['200', '403'])
    return statuses[200] ?? 0
  })
  running.signal('SIGTERM')
  expect(await running.exited).toBe(0)
  expect(running.slotsThatLogged('"msg":"request"')).toHaveLength(WORKERS)
  const { settlements, ledgerDifference } = await readStoredLedger(folder, databaseUrl)
  expect(ledgerDifference).toBeNull()
  for (const [index, { keyId }] of [thrifty, prepaid].entries()) {
    const own = settlements.filter((settlement) => settlement.keyId === keyId)
    expect(own).toHaveLength(admitted[index] ?? 0)
    // What a request did not use of its hold is free again and lets others in.
    expect(own.length).toBeGreaterThanOrEqual(Number(HOLDS))
    expect(own.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBeLessThanOrEqual(HOLD_NANO * HOLDS)
  }
}

describe(`${WORKERS} workers admit exactly what limits and balance allow`, () => {
  test('on SQLite', () => expectExactLimits(null), PATIENCE_MS)

  test.skipIf(!process.env.TEST_DATABASE_URL)(
    'on PostgreSQL',
    async () => {
      const database = await makeDatabase()
      if (database === null) throw new Error('TEST_DATABASE_URL is not set')
      try {
        await expectExactLimits(database.url)
      } finally {
        await stopCrew(crew)
        crew = null
        await database.drop()
      }
    },
    PATIENCE_MS,
  )
})

function toUsdt(nano: bigint): string {
  const digits = nano.toString().padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`
}
