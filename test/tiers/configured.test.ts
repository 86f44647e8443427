import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createKey, openAccount } from '../support/accounts.ts'
import { chat, say } from '../support/chat.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

interface Named {
  readonly id: string
  readonly name: string
}

const GOLD = { name: 'Gold', rpm: 2_000, tpm: null, earned_at: '50', position: 25 }
const STARTER = { name: 'Starter', rpm: 77, tpm: 2_000_000, earned_at: '0', position: 10 }

async function limitOf(secret: string): Promise<string | null> {
  const response = await chat(gateway.url, say('ok'), { key: secret })
  await response.text()
  return response.headers.get('x-ratelimit-limit-requests')
}

const put = (id: string, body: object) => gateway.operator<object>('PUT', `/tiers/${id}`, body)
const remove = (id: string) => gateway.operator<object>('DELETE', `/tiers/${id}`)
const names = async () =>
  (await gateway.operator<{ data: Named[] }>('GET', '/tiers')).data.map(({ name }) => name)

describe('tiers that operators set up', () => {
  test('are listed with those of the spec, and limit the next request', async () => {
    expect(await names()).toEqual(['Starter', 'Builder', 'Scale', 'Enterprise', 'Trial'])
    const { secret } = await createKey(gateway, await openAccount(gateway))
    expect(await limitOf(secret)).toBe('120')
    await put('starter', STARTER)
    expect(await limitOf(secret)).toBe('77')
    await remove('starter')
    expect(await limitOf(secret)).toBe('120')
    await expect(remove('starter')).rejects.toThrow('is built in; it can only be changed.')
  })

  test('are earned, assigned and kept while an account has them', async () => {
    await put('gold', GOLD)
    const id = await openAccount(gateway)
    const { secret } = await createKey(gateway, id)
    await gateway.operator('POST', `/accounts/${id}/payments`, { amount: '60', reference: 'gold' })
    const { raised } = await gateway.operator<{ raised: object[] }>('POST', '/tiers/evaluate')
    expect(raised).toEqual([{ account_id: id, from: 'Starter', to: 'Gold' }])
    expect(await limitOf(secret)).toBe('2000')
    await expect(remove('gold')).rejects.toThrow('1 account has the tier')
    await expect(put('gold', { ...GOLD, name: 'Silver' })).rejects.toThrow('1 account has the tier')
    const other = await openAccount(gateway)
    await gateway.operator('PUT', `/accounts/${other}/tier`, { tier: 'Gold', reason: 'a test' })
    expect(await gateway.operator<object>('GET', `/accounts/${other}`)).toMatchObject({
      tier: 'Gold',
      limits: { rpm: 2_000, tpm: null },
    })
    await gateway.operator('PUT', '/mark-ups/gold', { applies_to: 'tier', name: 'Gold', percent: 5 })
  })

  test('are the only ones that can be assigned', async () => {
    await put('trial', { name: 'Trial', rpm: 30, tpm: 500_000, enabled: false })
    const id = await openAccount(gateway)
    for (const tier of ['Trial', 'Platinum', 'constructor']) {
      const assigning = gateway.operator('PUT', `/accounts/${id}/tier`, { tier, reason: 'a test' })
      await expect(assigning).rejects.toThrow(
        'tier must be one of Starter, Builder, Gold, Scale, Enterprise.',
      )
    }
    await remove('trial')
    await gateway.operator('PUT', `/accounts/${id}/tier`, { tier: 'Trial', reason: 'a test' })
  })

  test('always have one for new accounts', async () => {
    await expect(put('starter', { ...STARTER, earned_at: '1' })).rejects.toThrow('must be earned at 0')
    await expect(put('free', { ...GOLD, name: 'Free', earned_at: '-1' })).rejects.toThrow('not be negative')
    await put('free', { ...GOLD, name: 'Free', earned_at: '0', position: 5 })
    const { id } = await gateway.operator<Named>('POST', '/accounts', { name: 'New' })
    expect(await gateway.operator<object>('GET', `/accounts/${id}`)).toMatchObject({ earned_tier: 'Free' })
    await put('starter', { ...STARTER, earned_at: '1' })
    await expect(remove('free')).rejects.toThrow('must be earned at 0')
  })
})
