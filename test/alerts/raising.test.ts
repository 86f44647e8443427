import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { balanceOf, createKey, openAccount } from '../support/accounts.ts'
import { refusalOf } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { addModel } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { alertsOf, auditOf, costOf, spend } from './support.ts'

const DAY_MS = 86_400_000
const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  await addModel(gateway, 'priced', { suppliers: ['sandbox-openai'] })
})
afterAll(() => gateway.stop())
afterEach(() => expect(gateway.log.troubles).toEqual([]))

async function spendTimes(key: string, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 1) expect((await spend(gateway, key)).status).toBe(200)
}

describe('a budget', () => {
  const thresholdsOf = async (accountId: string) =>
    (await alertsOf(gateway, accountId)).map(({ data }) => data.threshold)

  test('warns at each threshold once in a month, and never blocks', async () => {
    const account = await openAccount(gateway)
    const { id, secret } = await createKey(gateway, account, { budget: { amount: costOf(10n) } })
    await spendTimes(secret, 4)
    expect(await alertsOf(gateway, account)).toEqual([])
    await spendTimes(secret, 1)
    const [half] = await alertsOf(gateway, account)
    expect(half).toMatchObject({
      kind: 'budget.threshold',
      account_id: account,
      at: '2026-06-10T12:00:00Z',
      data: {
        key_id: id,
        key_name: 'Test key',
        month: '2026-06',
        threshold: 50,
        amount: costOf(10n),
        spent: costOf(5n),
      },
      delivery: { state: 'none', tries: 0, next_try_at: null, last_failure: null },
    })
    await spendTimes(secret, 7)
    expect(await thresholdsOf(account)).toEqual([50, 80, 100])
    const events = await auditOf(gateway, id)
    expect(events.map(({ actor, action }) => [actor, action])).toEqual(
      Array.from({ length: 3 }, () => ['alerts', 'alert.budget']),
    )
    expect(events.at(-1)?.after).toEqual(half?.data)
  })

  test('warns of every threshold that one request crosses', async () => {
    const account = await openAccount(gateway)
    const budget = { amount: costOf(1n), thresholds: [1, 10, 99, 100] }
    const { secret } = await createKey(gateway, account, { budget })
    await spendTimes(secret, 1)
    expect(await thresholdsOf(account)).toEqual([1, 10, 99, 100])
  })

  test('50 requests at once: each threshold once, each alert with a spend that reached it', async () => {
    const account = await openAccount(gateway)
    const { secret } = await createKey(gateway, account, { budget: { amount: costOf(50n) } })
    await Promise.all(Array.from({ length: 50 }, () => spend(gateway, secret)))
    expect((await alertsOf(gateway, account)).map(({ data }) => [data.threshold, data.spent])).toEqual([
      [50, costOf(25n)],
      [80, costOf(40n)],
      [100, costOf(50n)],
    ])
  })

  test('changed within the month repeats no threshold, and warns of newly reached ones', async () => {
    const account = await openAccount(gateway)
    const { id, secret } = await createKey(gateway, account, { budget: { amount: costOf(2n) } })
    await spendTimes(secret, 1)
    await gateway.operator('PATCH', `/keys/${id}`, { budget: { amount: costOf(4n) } })
    await spendTimes(secret, 1)
    expect(await thresholdsOf(account)).toEqual([50])
    await gateway.operator('PATCH', `/keys/${id}`, { budget: { amount: costOf(1n) } })
    await spendTimes(secret, 1)
    expect(await thresholdsOf(account)).toEqual([50, 80, 100])
  })
})

describe('the usage limit of a key', () => {
  test('raises an alert when it is reached, once per period', async () => {
    const account = await openAccount(gateway)
    const usage_limit = { period: 'daily', amount: costOf(2n) }
    const { id, secret } = await createKey(gateway, account, { usage_limit })
    await spendTimes(secret, 1)
    expect(await alertsOf(gateway, account)).toEqual([])
    await spendTimes(secret, 1)
    for (let sent = 0; sent < 3; sent += 1) {
      expect(await refusalOf(await spend(gateway, secret))).toEqual([403, 'spending_limit_exceeded'])
    }
    const [reached, ...others] = await alertsOf(gateway, account)
    expect(others).toEqual([])
    expect(reached).toMatchObject({
      kind: 'key.limit_reached',
      data: {
        key_id: id,
        period: 'daily',
        amount: costOf(2n),
        spent: costOf(2n),
        resets_at: '2026-06-11T00:00:00Z',
      },
    })
    expect((await auditOf(gateway, id)).map(({ action }) => action)).toEqual(['alert.key_limit'])
    clock.advance(DAY_MS)
    await spendTimes(secret, 2)
    expect(await alertsOf(gateway, account)).toHaveLength(2)
  })

  test('raises an alert when a request does not fit in the rest', async () => {
    const account = await openAccount(gateway)
    const usage_limit = { period: 'forever', amount: '0.000001' }
    const { secret } = await createKey(gateway, account, { usage_limit })
    for (let sent = 0; sent < 2; sent += 1) expect((await spend(gateway, secret)).status).toBe(403)
    expect(
      (await alertsOf(gateway, account)).map(({ kind, data }) => [kind, data.spent, data.resets_at]),
    ).toEqual([['key.limit_reached', '0', null]])
  })

  test('set below the spent amount raises one alert, with the first refused request', async () => {
    const account = await openAccount(gateway)
    const { id, secret } = await createKey(gateway, account)
    await spendTimes(secret, 2)
    const usage_limit = { period: 'daily', amount: costOf(1n) }
    await gateway.operator('PATCH', `/keys/${id}`, { usage_limit })
    for (let sent = 0; sent < 2; sent += 1) expect((await spend(gateway, secret)).status).toBe(403)
    expect((await alertsOf(gateway, account)).map(({ kind, data }) => [kind, data.spent])).toEqual([
      ['key.limit_reached', costOf(2n)],
    ])
  })

  test('that is raised and reached again raises another alert', async () => {
    const account = await openAccount(gateway)
    const limit = (requests: bigint) => ({ usage_limit: { period: 'monthly', amount: costOf(requests) } })
    const { id, secret } = await createKey(gateway, account, limit(1n))
    await spendTimes(secret, 1)
    await gateway.operator('PATCH', `/keys/${id}`, limit(2n))
    await spendTimes(secret, 1)
    expect((await alertsOf(gateway, account)).map(({ data }) => data.amount)).toEqual([
      costOf(1n),
      costOf(2n),
    ])
  })
})

describe('a balance', () => {
  const pay = (account: string, amount: string, reference: string) =>
    gateway.operator('POST', `/accounts/${account}/payments`, { amount, reference })

  test('raises an alert when it falls low, and again after it recovered', async () => {
    const account = await openAccount(gateway)
    const { secret } = await createKey(gateway, account)
    await gateway.operator('PATCH', `/accounts/${account}`, { balance_alert: costOf(1n) })
    await pay(account, costOf(3n), 'first')
    await spendTimes(secret, 2)
    expect(await balanceOf(gateway, account)).toBe(costOf(1n))
    expect(await alertsOf(gateway, account)).toEqual([])
    await spendTimes(secret, 3)
    const [low, ...others] = await alertsOf(gateway, account)
    expect(others).toEqual([])
    expect(low).toMatchObject({ kind: 'balance.low', data: { balance: '0', balance_alert: costOf(1n) } })
    expect((await auditOf(gateway, account)).map(({ action }) => action)).toEqual(['alert.balance'])

    // One payment lifts it and one request takes it down again: nothing else looks in between.
    await pay(account, costOf(3n), 'second')
    await spendTimes(secret, 1)
    expect(await alertsOf(gateway, account)).toHaveLength(2)
  })

  test('is also checked after adjustments and refunds', async () => {
    const account = await openAccount(gateway)
    await gateway.operator('PATCH', `/accounts/${account}`, { balance_alert: '5' })
    await pay(account, '10', 'in')
    await gateway.operator('POST', `/accounts/${account}/adjustments`, { amount: '-6', reason: 'r' })
    await gateway.operator('POST', `/accounts/${account}/adjustments`, { amount: '6', reason: 'r' })
    await gateway.operator('POST', `/accounts/${account}/refunds`, {
      amount: '7',
      reference: 'out',
      reason: 'r',
    })
    expect((await alertsOf(gateway, account)).map(({ data }) => data.balance)).toEqual(['4', '3'])
  })

  test('without a threshold is never low', async () => {
    const account = await openAccount(gateway)
    const { secret } = await createKey(gateway, account)
    await spendTimes(secret, 1)
    expect(await alertsOf(gateway, account)).toEqual([])
  })
})

describe('a credential that its supplier refuses', () => {
  /** A supplier, its model, and a credential it does not know. */
  async function addRefused(id: string, owner: object): Promise<string> {
    await gateway.operator('PUT', `/suppliers/${id}`, {
      type: 'openai-compatible',
      base_url: `${gateway.sandbox.url}/v1`,
      formats: ['chat-completion'],
      ...owner,
    })
    await addModel(gateway, `model-of-${id}`, { suppliers: [id] })
    const secret = 'not-a-sandbox-secret'
    return (await gateway.operator<{ id: string }>('POST', `/suppliers/${id}/credentials`, { secret })).id
  }
  const credentialAlerts = async (credentialId: string) => {
    const { data } = await gateway.operator<{ data: Awaited<ReturnType<typeof alertsOf>> }>(
      'GET',
      '/alerts?limit=200',
    )
    return data.filter((alert) => alert.data.credential_id === credentialId)
  }
  const askTogether = (key: string, model: string) =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
        })
        await response.arrayBuffer()
      }),
    )

  test('raises one alert for operators, and another after it was enabled again', async () => {
    const credential = await addRefused('shared-refused', {})
    const { secret } = await createKey(gateway, await openAccount(gateway))
    await askTogether(secret, 'model-of-shared-refused')
    const [alert] = await eventually('the alert', async () => {
      const found = await credentialAlerts(credential)
      return found.length > 0 && found
    })
    expect(alert).toMatchObject({
      kind: 'credential.disabled',
      account_id: null,
      data: { supplier: 'shared-refused', label: null },
    })
    expect((await auditOf(gateway, credential)).map(({ action }) => action)).toEqual(['alert.credential'])
    await gateway.operator('PATCH', `/credentials/${credential}`, { state: 'active' })
    await askTogether(secret, 'model-of-shared-refused')
    await eventually('the second alert', async () => (await credentialAlerts(credential)).length === 2)
  })

  test('raises an alert for the account that owns it', async () => {
    const account = await openAccount(gateway)
    const credential = await addRefused('own-refused', { source: 'byok', account_id: account })
    const { secret } = await createKey(gateway, account)
    await askTogether(secret, 'model-of-own-refused')
    const [alert] = await eventually('the alert', async () => {
      const found = await alertsOf(gateway, account)
      return found.length > 0 && found
    })
    expect(alert).toMatchObject({ kind: 'credential.disabled', data: { credential_id: credential } })
  })
})
