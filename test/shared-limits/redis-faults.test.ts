import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { administer, type OwnRedis, startOwnRedis } from '../../scripts/tests/redis.ts'
import { LimitsAway, LimitsSilent } from '../../src/edges/redis/index.ts'
import type { RedisLimits } from '../../src/edges/redis/redis-limits.ts'
import type { SharedNotice } from '../../src/serve/ports/shared-limits.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  admitCall,
  GENERATION,
  loadAccount,
  openConnectedLimits,
  openTestLimits,
  whenConnected,
} from './support/redis-limits.ts'

const isHere = Bun.which('redis-server') !== null || Bun.which('valkey-server') !== null
const PASSWORD = 'a-secret-that-must-not-leak'
const DEADLINE_MS = 50

describe.skipIf(!isHere)('when Redis', () => {
  let server: OwnRedis
  const opened: RedisLimits[] = []

  beforeAll(async () => {
    const started = await startOwnRedis()
    if (started === null) throw new Error('Redis did not start')
    server = started
  })
  afterEach(async () => {
    // A failed test may have left it paused, and it would not answer the next one.
    server.resume()
    await Promise.all(opened.splice(0).map((sharedLimits) => sharedLimits.close()))
    await server.flush()
  })
  afterAll(() => server.stop())

  async function open(deadlineMs?: number): Promise<RedisLimits> {
    const sharedLimits = await openConnectedLimits(server.url, deadlineMs === undefined ? {} : { deadlineMs })
    opened.push(sharedLimits)
    return sharedLimits
  }

  test('is paused, calls fail at the deadline, and later run in order', async () => {
    const repair = await open()
    await loadAccount(repair, 'account-1', 100n)
    const sharedLimits = await open(DEADLINE_MS)
    await loadAccount(sharedLimits, 'account-1', 100n)
    const hold = { amountNano: 60n, creditLineNano: 0n, usageLimit: null }
    server.pause()
    try {
      const startMs = performance.now()
      const failed = await Promise.allSettled([
        sharedLimits.admit(admitCall({ hold })),
        sharedLimits.generation(),
      ])
      expect(failed.map((one) => one.status === 'rejected' && one.reason)).toEqual([
        expect.any(LimitsSilent),
        expect.any(LimitsSilent),
      ])
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(DEADLINE_MS)
      // Whether it was admitted is unknown, so the node reports what it holds: nothing.
      sharedLimits.assertHolds('account-1', [], []).catch(() => {})
    } finally {
      server.resume()
    }
    // Only after what was lying there has been done does the connection answer again.
    await eventually('it answers', () => sharedLimits.generation().catch(() => null))
    expect(await sharedLimits.admit(admitCall({ hold: { ...hold, amountNano: 100n } }))).toMatchObject({
      type: 'admitted',
    })
  })

  test('stays paused, the node reconnects, and the old connection ends before the next call', async () => {
    const sharedLimits = await open(DEADLINE_MS)
    await loadAccount(sharedLimits, 'account-1', 100n)
    const hold = { amountNano: 60n, creditLineNano: 0n, usageLimit: null }
    let connections = 0
    sharedLimits.onConnected(() => {
      connections += 1
    })
    await eventually('the first connection is reported', () => connections === 1)
    const clients = async () => String(await administer(server.port, ['client', 'list']))
    const [, before = ''] = /id=(\d+) [^\n]*name=turnpike-node-1 /.exec(await clients()) ?? []
    expect(before).not.toBe('')
    server.pause()
    const late = sharedLimits.admit(admitCall({ hold })).catch((error: unknown) => error)
    expect(await late).toBeInstanceOf(LimitsSilent)
    await eventually('it is without a connection', async () => {
      const failure = await sharedLimits.generation().catch((error: unknown) => error)
      return failure instanceof LimitsAway
    })
    server.resume()
    await eventually('the next connection is reported', () => connections > 1)
    expect(await clients()).not.toContain(`id=${before} `)
    await sharedLimits.assertHolds('account-1', [], [])
    expect(await sharedLimits.admit(admitCall({ hold: { ...hold, amountNano: 100n } }))).toMatchObject({
      type: 'admitted',
    })
  })

  test('dies, calls fail at once, and its replacement is found empty', async () => {
    const sharedLimits = await open()
    await loadAccount(sharedLimits, 'account-1')
    await server.halt()
    // A call may fail by the loss of the connection a moment before the limits store knows that it has none.
    await eventually('it is noticed', async () => {
      const failure = await sharedLimits.generation().catch((error: unknown) => error)
      return failure instanceof LimitsAway && failure.message === 'Redis is not connected.'
    })
    const connected = new Promise<void>((resolve) => {
      const forget = sharedLimits.onConnected(() => {
        forget()
        resolve()
      })
    })
    await server.restart()
    await connected
    expect(await sharedLimits.generation()).toBeNull()
    expect(await sharedLimits.admit(admitCall())).toEqual({ type: 'unknown', missing: 'generation' })
    await loadAccount(sharedLimits, 'account-1')
    expect(await sharedLimits.admit(admitCall())).toMatchObject({ type: 'admitted' })
  })

  test('is emptied, the next call notices', async () => {
    const sharedLimits = await open()
    await loadAccount(sharedLimits, 'account-1')
    expect(await sharedLimits.admit(admitCall())).toMatchObject({ type: 'admitted' })
    await server.flush()
    expect(await sharedLimits.admit(admitCall())).toEqual({ type: 'unknown', missing: 'generation' })
    expect(await sharedLimits.beginGeneration('next')).toBe('next')
    expect(await sharedLimits.admit(admitCall({ generation: 'next' }))).toEqual({
      type: 'unknown',
      missing: 'account',
    })
  })

  test('forgets scripts, calls go on', async () => {
    const sharedLimits = await open()
    await loadAccount(sharedLimits, 'account-1')
    await administer(server.port, ['script', 'flush'])
    expect(await sharedLimits.admit(admitCall())).toMatchObject({ type: 'admitted' })
  })

  test('receives messages that no gateway sends, they are reported and ignored', async () => {
    const troubles: string[] = []
    const sharedLimits = await openConnectedLimits(server.url, {
      prefix: 'p:',
      onTrouble: (message) => troubles.push(message),
    })
    opened.push(sharedLimits)
    const heard: SharedNotice[] = []
    sharedLimits.onNotice((notice) => heard.push(notice))
    const notice: SharedNotice = { type: 'generation', generation: 'g' }
    const messages = ['nonsense', 'null', '{}', '{"from":"node-2"}', '{"from":"node-2","notice":null}']
    for (const message of [...messages, JSON.stringify({ from: 'node-2', notice })]) {
      await administer(server.port, ['publish', 'p:0:notices', message])
    }
    await eventually('what a node says is heard', () => heard.length > 0)
    expect(heard).toEqual([notice])
    expect(troubles).toHaveLength(1)
  })

  test('keeps notices, expired ones are removed', async () => {
    const clock = createMovableClock()
    const sharedLimits = await openConnectedLimits(server.url, { prefix: 'p:', clock })
    opened.push(sharedLimits)
    for (let forMs = 1; forMs <= 50; forMs += 1) {
      await sharedLimits.publish({ type: 'cooling', supplierId: 's', credentialId: 'c', forMs }, 1_000)
      clock.advance(1_000)
    }
    expect(await administer(server.port, ['zcard', 'p:{desk}:kept'])).toBe(1)
    expect(await administer(server.port, ['pttl', 'p:{desk}:kept'])).toBeWithin(1, 1_001)
  })

  test('is down at the start, the limits store waits for it', async () => {
    await server.halt()
    const sharedLimits = openTestLimits(server.url)
    opened.push(sharedLimits)
    expect(await sharedLimits.admit(admitCall()).catch((error: unknown) => error)).toBeInstanceOf(LimitsAway)
    await server.restart()
    await whenConnected(sharedLimits)
    expect(await sharedLimits.beginGeneration(GENERATION)).toBe(GENERATION)
  })
})

describe.skipIf(!isHere)('a password', () => {
  test('opens Redis, and a wrong one appears in no message', async () => {
    const server = await startOwnRedis()
    if (server === null) throw new Error('Redis did not start')
    await administer(server.port, ['config', 'set', 'requirepass', PASSWORD])
    const troubles: string[] = []
    const sharedLimits = await openConnectedLimits(`redis://:${PASSWORD}@127.0.0.1:${server.port}`)
    const wrong = openTestLimits(`redis://:${PASSWORD}-not@127.0.0.1:${server.port}`, {
      onTrouble: (message) => troubles.push(message),
    })
    try {
      expect(await sharedLimits.generation()).toBeNull()
      await eventually('the refusal is reported', () => troubles.length > 0)
      expect(troubles.join()).toContain('WRONGPASS')
      const failure = await wrong.generation().catch((error: unknown) => error)
      expect(Bun.inspect([troubles, failure])).not.toContain(PASSWORD)
    } finally {
      await Promise.all([sharedLimits.close(), wrong.close()])
      await server.stop()
    }
  })
})
