import { afterEach, describe, expect, test } from 'bun:test'
import { startOwnRedis } from '../../scripts/tests/redis.ts'
import { BOOTSTRAP_KEY } from '../robustness/support/gateway-process.ts'
import { eventually } from '../support/eventually.ts'
import { Fleet, MODEL } from './support/fleet.ts'
import { startProxy } from './support/tcp-proxy.ts'

const isPossible = Boolean(process.env.TEST_DATABASE_URL) && Bun.which('redis-server') !== null

let fleet: Fleet | null = null
afterEach(async () => {
  await fleet?.stop()
  fleet = null
})

async function startFleet(size: number): Promise<Fleet> {
  fleet = await Fleet.start({ size, environment: { TURNPIKE_NODE_LEASE_SECONDS: '3' } })
  if (fleet === null) throw new Error('PostgreSQL or Redis is missing')
  return fleet
}

async function readiness(url: string): Promise<{ status: number; reason: string | undefined }> {
  const response = await fetch(`${url}/readyz`)
  const { reason } = (await response.json()) as { reason?: string }
  return { status: response.status, reason }
}

async function ask(url: string): Promise<{ status: number; code: string | null }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }),
  })
  const { error } = (await response.json()) as { error?: { code: string } }
  return { status: response.status, code: error?.code ?? null }
}

describe.skipIf(!isPossible)('nodes of one database on different Redis databases', () => {
  test('a node that starts on another Redis is not ready, says why, and admits nothing', async () => {
    const nodes = await startFleet(1)
    const stray = await nodes.add({ REDIS_URL: `${nodes.redis.url}/1` })
    const said = await eventually('the reason', async () => {
      const { status, reason } = await readiness(stray.url)
      expect(status).toBe(503)
      return reason?.startsWith('REDIS_URL') ? reason : null
    })
    expect(said).toContain('another Redis database than that of node node-0')
    expect(await ask(stray.url)).toEqual({ status: 503, code: 'temporarily_unavailable' })
    expect((await readiness(nodes.first.url)).status).toBe(200)
    expect(await ask(nodes.first.url)).toEqual({ status: 200, code: null })
    await eventually('the reason in the log', () => stray.errors().includes('this node does not serve'))
  })

  test('a node whose Redis is replaced by another one stops serving within a lease, until it is back', async () => {
    const nodes = await startFleet(1)
    const other = await startOwnRedis()
    if (other === null) throw new Error('Redis is missing')
    const proxy = await startProxy('127.0.0.1', nodes.redis.port)
    try {
      const moving = await nodes.add({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` })
      await eventually('a ready node', async () => (await readiness(moving.url)).status === 200)
      expect(await ask(moving.url)).toEqual({ status: 200, code: null })
      proxy.leadTo(other.port)
      await eventually('a node that is not ready', async () => (await readiness(moving.url)).status === 503)
      expect(await ask(moving.url)).toEqual({ status: 503, code: 'temporarily_unavailable' })
      proxy.leadTo(nodes.redis.port)
      await eventually('a ready node again', async () => (await readiness(moving.url)).status === 200)
      expect(await ask(moving.url)).toEqual({ status: 200, code: null })
    } finally {
      await proxy.stop()
      await other.stop()
    }
  })
})
