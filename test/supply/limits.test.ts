import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createKey, createLoneKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { chat, limitsOf, refusalOf } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface Binding {
  readonly value: number
  readonly constraint: string
}

interface Limits {
  readonly account: object
  readonly key: object
  readonly models: readonly { id: string; source: string; rpm: Binding | null; tpm: Binding | null }[]
}

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  await addSupplier(gateway, { id: 'acme', sandbox: gateway.sandbox, credential: { rpm: 100, tpm: 90_000 } })
  await addModel(gateway, 'acme/large', { suppliers: ['acme'] })
})
afterAll(() => gateway.stop())

function get(path: string, { secret }: IssuedKey): Promise<Response> {
  return fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })
}

async function read<T>(path: string, key: IssuedKey): Promise<T> {
  const response = await get(path, key)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

const limitsFor = (key: IssuedKey, query = '') => read<Limits>(`/v1/limits${query}`, key)
const bindingOf = async (key: IssuedKey, model = 'acme/large') => {
  const { rpm, tpm } = (await limitsFor(key, `?model=${model}`)).models[0] ?? {}
  return [rpm?.value, rpm?.constraint, tpm?.value, tpm?.constraint]
}

describe('GET /v1/limits', () => {
  test('shows the current limits and windows of account and key', async () => {
    const account = await openAccount(gateway)
    const key = await createKey(gateway, account, { rpm: 10 })
    const other = await createKey(gateway, account)
    const asked = await chat(gateway.url, { max_tokens: 8 }, { key: key.secret })
    await asked.arrayBuffer()
    const [, tokensLeft] = limitsOf(asked, 'tokens')
    await (await chat(gateway.url, { max_tokens: 8 }, { key: other.secret })).arrayBuffer()
    clock.advance(20_000)
    const limits = await limitsFor(key)
    const spent = 2_000_000 - (tokensLeft ?? 0)
    expect(limits.account).toEqual({
      tier: 'Starter',
      rpm: 120,
      tpm: 2_000_000,
      requests: { remaining: 118, reset_seconds: 40 },
      tokens: { remaining: 2_000_000 - 2 * spent, reset_seconds: 40 },
    })
    expect(limits.key).toEqual({
      rpm: 10,
      tpm: null,
      requests: { remaining: 9, reset_seconds: 40 },
      tokens: null,
    })
  })

  test('shows for each model the limit in force and its source, like the model list', async () => {
    const key = await createLoneKey(gateway, { tpm: 50_000 })
    const { models } = await limitsFor(key)
    const list = await read<{ data: { id: string; gateway: { limits: object; source: string } }[] }>(
      '/v1/models',
      key,
    )
    expect(
      models.map(({ id, source, rpm, tpm }) => [id, source, { rpm: rpm?.value, tpm: tpm?.value }]),
    ).toEqual(list.data.map(({ id, gateway: facts }) => [id, facts.source, facts.limits as never]))
    expect(models.find(({ id }) => id === 'acme/large')).toEqual({
      id: 'acme/large',
      source: 'shared',
      rpm: { value: 100, constraint: 'credentials' },
      tpm: { value: 50_000, constraint: 'key' },
    })
    expect(models.find(({ id }) => id === 'sandbox-chat')?.rpm).toEqual({ value: 120, constraint: 'account' })
  })

  test('answers for one model, and does not find one the key may not use', async () => {
    const key = await createLoneKey(gateway, { model_allowlist: ['acme/*'] })
    expect((await limitsFor(key, '?model=acme/large')).models.map(({ id }) => id)).toEqual(['acme/large'])
    for (const model of ['sandbox-chat', 'nothing-such']) {
      expect(await refusalOf(await get(`/v1/limits?model=${model}`, key))).toEqual([404, 'model_not_found'])
    }
  })

  test('is a look-up: it shows the limits in headers, spends none, and is limited itself', async () => {
    const key = await createLoneKey(gateway, { rpm: 1 })
    for (let asked = 0; asked < 10; asked += 1) {
      const response = await get('/v1/limits?model=sandbox-chat', key)
      expect([response.status, limitsOf(response, 'requests')]).toEqual([200, [1, 1, 0]])
    }
    const refused = await get('/v1/limits?model=sandbox-chat', key)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await refusalOf(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect((await chat(gateway.url, {}, { key: key.secret })).status).toBe(200)
  })

  test('requires a key', async () => {
    expect(await refusalOf(await fetch(`${gateway.url}/v1/limits`))).toEqual([401, 'auth_required'])
  })
})

describe('spec 8.1: each constraint can be the strictest', () => {
  test('as supply is narrowed and widened', async () => {
    const key = await createLoneKey(gateway)
    expect(await bindingOf(key)).toEqual([100, 'credentials', 90_000, 'credentials'])

    const path = '/suppliers/acme/credentials'
    const { id } = await gateway.operator<{ id: string }>('POST', path, { secret: 'sk-sandbox-2', rpm: 10 })
    expect(await bindingOf(key)).toEqual([110, 'credentials', 2_000_000, 'account'])
    await gateway.operator('PATCH', `/credentials/${id}`, { state: 'disabled' })
    expect(await bindingOf(key)).toEqual([100, 'credentials', 90_000, 'credentials'])

    const route = { upstream_model: 'sandbox-chat', price: { input: '1', output: '2' } }
    await gateway.operator('PUT', '/models/acme/large/routes/acme', { ...route, rpm: 60 })
    expect(await bindingOf(key)).toEqual([60, 'routes', 90_000, 'credentials'])

    await gateway.operator('PUT', '/models/acme/large/routes/sandbox-openai', { ...route, rpm: 20 })
    expect(await bindingOf(key)).toEqual([80, 'routes', 2_000_000, 'account'])
    await gateway.operator('PUT', '/models/acme/large/routes/sandbox-openai', {
      ...route,
      rpm: 20,
      enabled: false,
    })
    expect(await bindingOf(key)).toEqual([60, 'routes', 90_000, 'credentials'])

    await gateway.operator('PUT', '/models/acme/large', { owned_by: 'tests', rpm: 30, tpm: 7_000 })
    expect(await bindingOf(key)).toEqual([30, 'model', 7_000, 'model'])
    await gateway.operator('PATCH', `/keys/${key.id}`, { rpm: 29 })
    expect(await bindingOf(key)).toEqual([29, 'key', 7_000, 'model'])
  })
})
