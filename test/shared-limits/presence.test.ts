import { afterAll, describe, expect, test } from 'bun:test'
import { findRedis, startOwnRedis } from '../../scripts/tests/redis.ts'
import { openClient, openListener } from '../../src/edges/redis/open-client.ts'
import { LimitsPresence } from '../../src/edges/redis/presence.ts'
import { parseRedisAddress } from '../../src/edges/redis/redis-address.ts'
import { eventually } from '../support/eventually.ts'

const redis = await findRedis()
afterAll(() => redis?.stop())

function open(url = redis?.url ?? '', onTrouble: (message: string) => void = () => {}) {
  const address = parseRedisAddress(url)
  const client = openClient(address, 'presence-client')
  const listener = openListener(address, 'presence-listener')
  const channel = `presence-${crypto.randomUUID()}`
  const presence = new LimitsPresence({ client, listener, channel, nodeId: 'node-1', onTrouble })
  return { client, listener, presence }
}

describe.skipIf(redis === null)('a connection that the library has given up', () => {
  test.each(['client', 'listener'] as const)('is restored: the %s', async (which) => {
    const { presence, ...connections } = open()
    let stood = 0
    presence.onConnected(() => {
      stood += 1
    })
    await eventually('both stand', () => stood === 1)
    connections[which].disconnect()
    await eventually('both stand again', () => stood === 2)
    presence.close()
  })

  test('is not restored after close', async () => {
    const { client, listener, presence } = open()
    await eventually('both stand', () => client.status === 'ready' && listener.status === 'ready')
    presence.close()
    await eventually('both have ended', () => client.status === 'end' && listener.status === 'end')
    await Bun.sleep(400)
    expect([client.status, listener.status]).toEqual(['end', 'end'])
  })
})

describe.skipIf(redis === null)('the eviction policy of Redis', () => {
  async function troublesOf(policy: string): Promise<string[]> {
    const server = await startOwnRedis([`maxmemory-policy ${policy}`])
    if (server === null) throw new Error('Redis is missing')
    const troubles: string[] = []
    const { client, presence } = open(server.url, (message) => troubles.push(message))
    try {
      await new Promise<void>((resolve) => presence.onConnected(resolve))
      // Answers come in order, so that of the check is there when this one is.
      await client.ping()
      return troubles
    } finally {
      presence.close()
      await server.stop()
    }
  }

  test('causes a warning when it can evict limits', async () => {
    expect(await troublesOf('allkeys-lru')).toEqual([
      expect.stringContaining('maxmemory-policy is allkeys-lru'),
    ])
  })

  test('causes no warning when it is noeviction', async () => {
    expect(await troublesOf('noeviction')).toEqual([])
  })
})
