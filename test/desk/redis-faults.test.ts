import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { administer, type OwnRedis, startOwnRedis } from '../../scripts/test-redis.ts'
import { DeskAway, DeskSilent } from '../../src/edges/redis/index.ts'
import type { RedisDesk } from '../../src/edges/redis/redis-desk.ts'
import type { DeskNotice } from '../../src/serve/ports/common-desk.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  admitCall,
  GENERATION,
  loadAccount,
  openConnectedDesk,
  openTestDesk,
  whenConnected,
} from './support/redis-desks.ts'

const isHere = Bun.which('redis-server') !== null || Bun.which('valkey-server') !== null
const PASSWORD = 'a-secret-that-must-not-be-told'
const DEADLINE_MS = 50

describe.skipIf(!isHere)('when Redis', () => {
  let server: OwnRedis
  const opened: RedisDesk[] = []

  beforeAll(async () => {
    const started = await startOwnRedis()
    if (started === null) throw new Error('Redis did not start')
    server = started
  })
  afterEach(async () => {
    // A test that failed may have left it paused, and it would answer nobody who comes after.
    server.resume()
    await Promise.all(opened.splice(0).map((desk) => desk.close()))
    await server.flush()
  })
  afterAll(() => server.stop())

  async function open(deadlineMs?: number): Promise<RedisDesk> {
    const desk = await openConnectedDesk(server.url, deadlineMs === undefined ? {} : { deadlineMs })
    opened.push(desk)
    return desk
  }

  test('is paused, calls fail by the deadline, and what was asked first is done first afterwards', async () => {
    const patient = await open()
    await loadAccount(patient, 'account-1', 100n)
    const desk = await open(DEADLINE_MS)
    await loadAccount(desk, 'account-1', 100n)
    const hold = { amountNano: 60n, creditLineNano: 0n, usageLimit: null }
    server.pause()
    try {
      const startMs = performance.now()
      const failed = await Promise.allSettled([desk.admit(admitCall({ hold })), desk.generation()])
      expect(failed.map((one) => one.status === 'rejected' && one.reason)).toEqual([
        expect.any(DeskSilent),
        expect.any(DeskSilent),
      ])
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(DEADLINE_MS)
      // Nobody knows whether it was admitted, so the node tells what it holds: nothing.
      desk.assertHolds('account-1', [], []).catch(() => {})
    } finally {
      server.resume()
    }
    // Only after what was lying there has been done does the connection answer again.
    await eventually('it answers', () => desk.generation().catch(() => null))
    expect(await desk.admit(admitCall({ hold: { ...hold, amountNano: 100n } }))).toMatchObject({
      type: 'admitted',
    })
  })

  test('stays paused, the connection is made anew, and the old one is over before anything is asked again', async () => {
    const desk = await open(DEADLINE_MS)
    await loadAccount(desk, 'account-1', 100n)
    const hold = { amountNano: 60n, creditLineNano: 0n, usageLimit: null }
    let connections = 0
    desk.onConnected(() => {
      connections += 1
    })
    await eventually('it is told of the first', () => connections === 1)
    const clients = async () => String(await administer(server.port, ['client', 'list']))
    const [, before = ''] = /id=(\d+) [^\n]*name=turnpike-node-1 /.exec(await clients()) ?? []
    expect(before).not.toBe('')
    server.pause()
    const late = desk.admit(admitCall({ hold })).catch((error: unknown) => error)
    expect(await late).toBeInstanceOf(DeskSilent)
    await eventually('it is without a connection', async () => {
      const failure = await desk.generation().catch((error: unknown) => error)
      return failure instanceof DeskAway
    })
    server.resume()
    await eventually('it is told of the next', () => connections > 1)
    expect(await clients()).not.toContain(`id=${before} `)
    await desk.assertHolds('account-1', [], [])
    expect(await desk.admit(admitCall({ hold: { ...hold, amountNano: 100n } }))).toMatchObject({
      type: 'admitted',
    })
  })

  test('dies, calls fail at once, and a new one is found empty', async () => {
    const desk = await open()
    await loadAccount(desk, 'account-1')
    await server.halt()
    // A call may fail by the loss of the connection a moment before the desk knows that it has none.
    await eventually('it is noticed', async () => {
      const failure = await desk.generation().catch((error: unknown) => error)
      return failure instanceof DeskAway && failure.message === 'There is no connection to Redis.'
    })
    const connected = new Promise<void>((resolve) => {
      const forget = desk.onConnected(() => {
        forget()
        resolve()
      })
    })
    await server.restart()
    await connected
    expect(await desk.generation()).toBeNull()
    expect(await desk.admit(admitCall())).toEqual({ type: 'unknown', missing: 'generation' })
    await loadAccount(desk, 'account-1')
    expect(await desk.admit(admitCall())).toMatchObject({ type: 'admitted' })
  })

  test('is emptied, the next call notices', async () => {
    const desk = await open()
    await loadAccount(desk, 'account-1')
    expect(await desk.admit(admitCall())).toMatchObject({ type: 'admitted' })
    await server.flush()
    expect(await desk.admit(admitCall())).toEqual({ type: 'unknown', missing: 'generation' })
    expect(await desk.beginGeneration('next')).toBe('next')
    expect(await desk.admit(admitCall({ generation: 'next' }))).toEqual({
      ...{ type: 'unknown', missing: 'account' },
    })
  })

  test('forgets scripts, calls go on', async () => {
    const desk = await open()
    await loadAccount(desk, 'account-1')
    await administer(server.port, ['script', 'flush'])
    expect(await desk.admit(admitCall())).toMatchObject({ type: 'admitted' })
  })

  test('is given messages that no gateway sends, they are told and ignored', async () => {
    const troubles: string[] = []
    const desk = await openConnectedDesk(server.url, {
      prefix: 'p:',
      onTrouble: (message) => troubles.push(message),
    })
    opened.push(desk)
    const heard: DeskNotice[] = []
    desk.onNotice((notice) => heard.push(notice))
    const notice: DeskNotice = { type: 'generation', generation: 'g' }
    const messages = ['nonsense', 'null', '{}', '{"from":"node-2"}', '{"from":"node-2","notice":null}']
    for (const message of [...messages, JSON.stringify({ from: 'node-2', notice })]) {
      await administer(server.port, ['publish', 'p:0:notices', message])
    }
    await eventually('what a node says is heard', () => heard.length > 0)
    expect(heard).toEqual([notice])
    expect(troubles).toHaveLength(1)
  })

  test('keeps notices, those that are over take no room', async () => {
    const clock = createMovableClock()
    const desk = await openConnectedDesk(server.url, { prefix: 'p:', clock })
    opened.push(desk)
    for (let forMs = 1; forMs <= 50; forMs += 1) {
      await desk.publish({ type: 'cooling', supplierId: 's', credentialId: 'c', forMs }, 1_000)
      clock.advance(1_000)
    }
    expect(await administer(server.port, ['zcard', 'p:{desk}:kept'])).toBe(1)
    expect(await administer(server.port, ['pttl', 'p:{desk}:kept'])).toBeWithin(1, 1_001)
  })

  test('is away from the beginning, the desk waits for it', async () => {
    await server.halt()
    const desk = openTestDesk(server.url)
    opened.push(desk)
    expect(await desk.admit(admitCall()).catch((error: unknown) => error)).toBeInstanceOf(DeskAway)
    await server.restart()
    await whenConnected(desk)
    expect(await desk.beginGeneration(GENERATION)).toBe(GENERATION)
  })
})

describe.skipIf(!isHere)('a password', () => {
  test('opens Redis, and a wrong one is told to nobody', async () => {
    const server = await startOwnRedis()
    if (server === null) throw new Error('Redis did not start')
    await administer(server.port, ['config', 'set', 'requirepass', PASSWORD])
    const troubles: string[] = []
    const desk = await openConnectedDesk(`redis://:${PASSWORD}@127.0.0.1:${server.port}`)
    const wrong = openTestDesk(`redis://:${PASSWORD}-not@127.0.0.1:${server.port}`, {
      onTrouble: (message) => troubles.push(message),
    })
    try {
      expect(await desk.generation()).toBeNull()
      await eventually('the refusal is told', () => troubles.length > 0)
      expect(troubles.join()).toContain('WRONGPASS')
      const failure = await wrong.generation().catch((error: unknown) => error)
      expect(Bun.inspect([troubles, failure])).not.toContain(PASSWORD)
    } finally {
      await Promise.all([desk.close(), wrong.close()])
      await server.stop()
    }
  })
})
