import { describe, expect, test } from 'bun:test'
import type { Exchange } from '../serve/ports/exchange.ts'
import { type HealthParts, healthEndpoints } from './health.ts'

const AWAY = { ping: () => Promise.reject(new Error('away')) }
const FULL = { refusal: () => 'The journal is full.', isDiskFailing: false }

function askedOf(parts: Partial<HealthParts>) {
  const endpoints = healthEndpoints({
    storage: { ping: () => Promise.resolve() },
    isClosing: () => false,
    ...parts,
  })
  return async (path: string) => {
    const response = await endpoints.find((endpoint) => endpoint.path === path)?.handle({} as Exchange)
    if (!(response instanceof Response)) throw new Error(`${path} gives no plain response`)
    return [response.status, await response.json()] as const
  }
}

const ready = (parts: Partial<HealthParts>) => askedOf(parts)('/readyz')
const notReady = (reason: string) => [503, { status: 'not ready', reason }] as const

describe('health', () => {
  test('a gateway that can serve is healthy and ready', async () => {
    const ask = askedOf({})
    expect(await ask('/healthz')).toEqual([200, { status: 'ok' }])
    expect(await ask('/readyz')).toEqual([200, { status: 'ready' }])
  })

  test.each<readonly [string, Partial<HealthParts>, string]>([
    ['shutting down', { isClosing: () => true }, 'shutting down'],
    ['without its own database', { storage: AWAY }, 'the database does not answer'],
    [
      'with a failing disk',
      { isDatabaseShared: true, journal: { refusal: () => null, isDiskFailing: true } },
      'the journal cannot be written',
    ],
  ])('%s: alive but not ready', async (_what, parts, reason) => {
    expect(await ready(parts)).toEqual(notReady(reason))
    expect((await askedOf(parts)('/healthz'))[0]).toBe(200)
  })

  test.each<readonly [string, Partial<HealthParts>, string]>([
    ['the database', { storage: AWAY }, 'the database does not answer'],
    ['room in the journal', { journal: FULL }, 'The journal is full.'],
    [
      'Redis, judging alone',
      { sharedLimitsState: () => 'local' },
      'Redis does not answer; this node judges by its share of each limit',
    ],
    [
      'Redis, refusing',
      { sharedLimitsState: () => 'refusing' },
      'Redis does not answer; requests are refused',
    ],
  ])('an outage that affects all nodes leaves them ready: %s', async (_what, parts, reason) => {
    const all = { isDatabaseShared: true, ...parts }
    expect(await ready(all)).toEqual([200, { status: 'ready', degraded: [reason] }])
  })

  test('a database that hangs is queried once and not waited for', async () => {
    let asked = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const ping = () => {
      asked += 1
      return promise
    }
    const ask = askedOf({ isDatabaseShared: true, storage: { ping } })
    const answers = await Promise.all([ask('/readyz'), ask('/readyz')])
    expect(answers.map(([status]) => status)).toEqual([200, 200])
    expect(asked).toBe(1)
    resolve()
    await promise
  })
})
