import { afterEach, describe, expect, test } from 'bun:test'
import { createKey, openAccount } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const HOUR_MS = 3_600_000

let gateway: TestGateway
afterEach(() => gateway.stop())

/** The request limit a client sees in its response headers. */
async function limitOf(secret: string): Promise<string | null> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] }),
  })
  await response.text()
  return response.headers.get('x-ratelimit-limit-requests')
}

describe('a running gateway', () => {
  test('3.1 raises a tier at the next hour; the next request has its limits', async () => {
    const clock = createMovableClock()
    gateway = await startTestGateway({ clock })
    const id = await openAccount(gateway)
    const { secret } = await createKey(gateway, id)
    expect(await limitOf(secret)).toBe('120')
    await gateway.operator('POST', `/accounts/${id}/payments`, { amount: '10', reference: 'r' })
    expect(await limitOf(secret)).toBe('120')
    clock.advance(HOUR_MS)
    await eventually('the account is raised', async () => {
      const { tier } = await gateway.operator<{ tier: string }>('GET', `/accounts/${id}`)
      return tier === 'Builder'
    })
    expect(await limitOf(secret)).toBe('600')
  })

  test('3.1 evaluates on demand and lists the raised accounts; 8.2 every tier has its limits', async () => {
    gateway = await startTestGateway({ clock: createMovableClock() })
    const id = await openAccount(gateway)
    const { secret } = await createKey(gateway, id)
    await gateway.operator('POST', `/accounts/${id}/payments`, { amount: '200', reference: 'r' })
    const evaluation = await gateway.operator<{ evaluated: number; raised: unknown[] }>(
      'POST',
      '/tiers/evaluate',
    )
    // The first account, made at the first start, is one of the two.
    expect(evaluation).toEqual({ evaluated: 2, raised: [{ account_id: id, from: 'Starter', to: 'Scale' }] })
    expect(await gateway.operator<object>('POST', '/tiers/evaluate')).toEqual({ evaluated: 2, raised: [] })
    expect(await limitOf(secret)).toBe('1500')
    for (const [tier, rpm] of [
      ['Starter', '120'],
      ['Builder', '600'],
      ['Enterprise', '3000'],
      ['Trial', '30'],
    ]) {
      await gateway.operator('PUT', `/accounts/${id}/tier`, { tier, reason: 'a test' })
      expect([tier, await limitOf(secret)]).toEqual([tier, rpm])
    }
    await gateway.operator('DELETE', `/accounts/${id}/tier`)
    expect(await limitOf(secret)).toBe('1500')
  })

  test('3.1 Trial ends by itself: the next request has the limits of the earned tier', async () => {
    const clock = createMovableClock()
    gateway = await startTestGateway({ clock })
    const id = await openAccount(gateway)
    const { secret } = await createKey(gateway, id)
    const expires_at = new Date(clock.nowMs() + 60_000).toISOString()
    await gateway.operator('PUT', `/accounts/${id}/tier`, { tier: 'Trial', expires_at, reason: 'a test' })
    expect(await limitOf(secret)).toBe('30')
    clock.advance(60_000)
    expect(await limitOf(secret)).toBe('120')
  })
})
