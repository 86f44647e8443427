import { afterAll, describe, expect, test } from 'bun:test'
import { findRedis } from '../../scripts/test-redis.ts'
import { openClient, openListener } from '../../src/edges/redis/open-client.ts'
import { DeskPresence } from '../../src/edges/redis/presence.ts'
import { parseRedisAddress } from '../../src/edges/redis/redis-address.ts'
import { eventually } from '../support/eventually.ts'

const redis = await findRedis()
afterAll(() => redis?.stop())

function open() {
  const address = parseRedisAddress(redis?.url ?? '')
  const client = openClient(address, 'presence-client')
  const listener = openListener(address, 'presence-listener')
  const channel = `presence-${crypto.randomUUID()}`
  const presence = new DeskPresence({ client, listener, channel, nodeId: 'node-1', onTrouble: () => {} })
  return { client, listener, presence }
}

describe.skipIf(redis === null)('a connection that the library has given up for good', () => {
  test.each(['client', 'listener'] as const)('is made anew: the %s', async (which) => {
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

  test('is left alone once it was closed', async () => {
    const { client, listener, presence } = open()
    await eventually('both stand', () => client.status === 'ready' && listener.status === 'ready')
    presence.close()
    await eventually('both have ended', () => client.status === 'end' && listener.status === 'end')
    await Bun.sleep(400)
    expect([client.status, listener.status]).toEqual(['end', 'end'])
  })
})
