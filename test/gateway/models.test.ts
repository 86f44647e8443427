import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLoneKey, type IssuedKey, type KeyFields } from '../support/accounts.ts'
import { chat, refusalOf } from '../support/chat.ts'
import { createMovableClock, TEST_START_MS } from '../support/movable-clock.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface ModelEntry {
  readonly id: string
  readonly gateway: { readonly limits?: { readonly rpm?: number; readonly tpm?: number } }
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock: createMovableClock() })
  await addSupplier(gateway, { id: 'acme', sandbox: gateway.sandbox, credential: { rpm: 100, tpm: 90_000 } })
  await addModel(gateway, 'acme/large', { suppliers: ['acme'] })
  await addModel(gateway, 'acme/small', { suppliers: ['acme', 'sandbox-openai'] })
})
afterAll(() => gateway.stop())

async function ask<T>(path: string, { secret }: IssuedKey): Promise<T> {
  const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })
  return (await response.json()) as T
}

async function listIds(key: IssuedKey): Promise<string[]> {
  return (await ask<{ data: ModelEntry[] }>('/v1/models', key)).data.map(({ id }) => id)
}

const change = (key: IssuedKey, fields: KeyFields) => gateway.operator('PATCH', `/keys/${key.id}`, fields)

describe('spec 2.2: the model list', () => {
  test('is a list of entries with every field', async () => {
    const key = await createLoneKey(gateway)
    const list = await ask<{ object: string; data: ModelEntry[] }>('/v1/models', key)
    expect(list.object).toBe('list')
    expect(list.data.find(({ id }) => id === 'acme/small')).toMatchObject({
      id: 'acme/small',
      object: 'model',
      created: TEST_START_MS / 1000,
      owned_by: 'tests',
      gateway: {
        route_policy: { mode: 'intelligent' },
        provider_types: ['openai-compatible', 'sandbox'],
        protocols: ['chat-completion', 'responses'],
        source: 'shared',
        routeable: true,
      },
    })
  })

  test('shows one entry by its id, also one with a slash', async () => {
    const key = await createLoneKey(gateway)
    const { data } = await ask<{ data: ModelEntry[] }>('/v1/models', key)
    const entry = data.find(({ id }) => id === 'acme/large')
    expect(entry).toBeDefined()
    expect(await ask<ModelEntry>('/v1/models/acme/large', key)).toEqual(entry as ModelEntry)
    expect(await ask<ModelEntry>('/v1/models/acme%2Flarge', key)).toEqual(entry as ModelEntry)
  })

  test('names the provider of a specified route policy', async () => {
    const policy = { mode: 'specified_provider', provider: 'acme' }
    const key = await createLoneKey(gateway, { route_policy: policy })
    expect(await ask<unknown>('/v1/models/acme/small', key)).toMatchObject({
      gateway: { route_policy: policy, provider_types: ['openai-compatible'] },
    })
  })

  test('reflects a changed route policy at once, and so does generation', async () => {
    const key = await createLoneKey(gateway)
    expect(await listIds(key)).toContain('sandbox-chat')
    await change(key, { route_policy: { mode: 'specified_provider', provider: 'acme' } })
    expect(await listIds(key)).toEqual(['acme/large', 'acme/small'])
    expect(await refusalOf(await chat(gateway.url, {}, { key: key.secret }))).toEqual([
      404,
      'model_not_found',
    ])
    await change(key, { route_policy: { mode: 'intelligent' } })
    expect(await listIds(key)).toContain('sandbox-chat')
    expect((await chat(gateway.url, {}, { key: key.secret })).status).toBe(200)
  })

  test('reflects a changed allowlist at once, with exact ids and prefixes', async () => {
    const key = await createLoneKey(gateway)
    await change(key, { model_allowlist: ['acme/*', 'sandbox-chat'] })
    expect(await listIds(key)).toEqual(['acme/large', 'acme/small', 'sandbox-chat'])
    await change(key, { model_allowlist: ['acme/small'] })
    expect(await listIds(key)).toEqual(['acme/small'])
    expect(await refusalOf(await chat(gateway.url, {}, { key: key.secret }))).toEqual([
      404,
      'model_not_found',
    ])
  })
})

describe('spec 8.1: the limits shown are the strictest of all', () => {
  const limitsOf = async (key: IssuedKey, model: string) =>
    (await ask<ModelEntry>(`/v1/models/${model}`, key)).gateway.limits

  test('the account limit applies when nothing is stricter', async () => {
    expect(await limitsOf(await createLoneKey(gateway), 'sandbox-chat')).toEqual({ rpm: 120, tpm: 2_000_000 })
  })

  test('a key limit is stricter than the account', async () => {
    const key = await createLoneKey(gateway, { rpm: 7, tpm: 700 })
    expect(await limitsOf(key, 'sandbox-chat')).toEqual({ rpm: 7, tpm: 700 })
  })

  test('the credential limit of the only route is stricter than the account', async () => {
    expect(await limitsOf(await createLoneKey(gateway), 'acme/large')).toEqual({ rpm: 100, tpm: 90_000 })
  })

  test('a second route without a limit lifts that limit', async () => {
    expect(await limitsOf(await createLoneKey(gateway), 'acme/small')).toEqual({ rpm: 120, tpm: 2_000_000 })
  })
})
