import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { BOOTSTRAP_KEY, startTestGateway } from '../support/test-gateway.ts'
import { addAccount, addSupply, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
  await addSupply(gateway)
})
afterEach(() => gateway.close())

const audit = async () =>
  (await gateway.ask('GET /audit')).body.data.map(({ action, subject }: Record<string, string>) => [
    action,
    subject,
  ])

describe('deleting', () => {
  test('removes a route, its model and its supplier with credentials, and the audit records it', async () => {
    const route = await gateway.ask('DELETE /models/gpt-5/routes/acme')
    expect([route.status, route.body]).toEqual([200, { id: 'gpt-5/routes/acme', deleted: true }])
    expect((await gateway.ask('DELETE /models/gpt-5')).body).toEqual({ id: 'gpt-5', deleted: true })
    expect((await gateway.ask('DELETE /suppliers/acme')).body).toEqual({ id: 'acme', deleted: true })

    const stored = await gateway.storage.loadConfiguration()
    expect([stored.suppliers, stored.credentials, stored.models, stored.routes]).toEqual([[], [], [], []])
    const { supply } = gateway.configuration.current()
    expect([supply.suppliers.size, supply.models.size, supply.routesByModel.size]).toEqual([0, 0, 0])
    expect((await audit()).slice(0, 3)).toEqual([
      ['supplier.deleted', 'acme'],
      ['model.deleted', 'gpt-5'],
      ['route.deleted', 'gpt-5/routes/acme'],
    ])
    const { data } = (await gateway.ask('GET /audit?limit=1')).body
    expect([data[0].before.base_url, data[0].after]).toEqual(['http://127.0.0.1:4020/v1', null])
  })

  test.each([
    ['meta/llama-3:free', 'raw'],
    ['meta/llama-3:free', 'encoded'],
  ])('a model id with slashes: %s %s', async (id, way) => {
    const path = way === 'raw' ? id : encodeURIComponent(id)
    await gateway.ask(`PUT /models/${id}`, { owned_by: 'meta' })
    await gateway.ask(`PUT /models/${id}/routes/acme`, { upstream_model: 'llama' })
    expect((await gateway.ask(`DELETE /models/${path}/routes/acme`)).status).toBe(200)
    expect((await gateway.ask(`DELETE /models/${path}`)).body).toEqual({ id, deleted: true })
  })

  test.each([
    'DELETE /suppliers/nobody',
    'DELETE /models/nobody',
    'DELETE /models/gpt-5/routes/nobody',
    'DELETE /models/nobody/routes/acme',
    'DELETE /models/gpt-5/routes/',
    'DELETE /models/',
  ])('%s is not found', async (call) => {
    const answer = await gateway.ask(call)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
  })
})

describe('a resource that is in use', () => {
  async function refusal(call: string): Promise<string> {
    const before = gateway.configuration.current()
    const { status, body } = await gateway.ask(call)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'id'])
    expect(gateway.configuration.current()).toBe(before)
    return body.error.message
  }

  test('stays: a supplier with routes, naming their models', async () => {
    expect(await refusal('DELETE /suppliers/acme')).toBe(
      'Supplier "acme" has routes of "gpt-5"; delete these routes first.',
    )
    for (const id of ['m1', 'm2', 'm3', 'm4']) {
      await gateway.ask(`PUT /models/${id}`, { owned_by: 'us' })
      await gateway.ask(`PUT /models/${id}/routes/acme`, { upstream_model: id })
    }
    expect(await refusal('DELETE /suppliers/acme')).toBe(
      'Supplier "acme" has routes of "gpt-5", "m1", "m2" and 2 more; delete these routes first.',
    )
  })

  test('stays: a supplier that a key is bound to, until the key is revoked', async () => {
    await gateway.ask('DELETE /models/gpt-5/routes/acme')
    const account = await addAccount(gateway)
    const key = await gateway.ask(`POST /accounts/${account}/keys`, {
      name: 'ci',
      route_policy: { mode: 'specified_provider', provider: 'acme' },
    })
    expect(await refusal('DELETE /suppliers/acme')).toBe(
      'Key "ci" is bound to this supplier; change the key first.',
    )
    await gateway.ask(`DELETE /keys/${key.body.id}`)
    expect((await gateway.ask('DELETE /suppliers/acme')).status).toBe(200)
  })

  test('stays: a model with routes, naming their suppliers', async () => {
    expect(await refusal('DELETE /models/gpt-5')).toBe(
      'Model "gpt-5" has routes to "acme"; delete these routes first.',
    )
  })

  test('stays: a model whose exact id is on an allowlist; a pattern does not count', async () => {
    await gateway.ask('DELETE /models/gpt-5/routes/acme')
    const account = await addAccount(gateway)
    const create = (name: string, list: string[]) =>
      gateway.ask(`POST /accounts/${account}/keys`, { name, model_allowlist: list })
    await create('pattern', ['gpt-*'])
    const exact = await create('exact', ['gpt-5'])
    expect(await refusal('DELETE /models/gpt-5')).toBe(
      'Model "gpt-5" is on the allowlist of keys: "exact"; change these keys first.',
    )
    await gateway.ask(`PATCH /keys/${exact.body.id}`, { model_allowlist: null })
    expect((await gateway.ask('DELETE /models/gpt-5')).status).toBe(200)
  })
})

test('a route that comes back after it was deleted has a clean record', async () => {
  const whole = await startTestGateway()
  try {
    const route = '/models/lost/routes/dead'
    const settings = { upstream_model: 'lost', price: { input: '1', output: '1' } }
    // Nothing listens on the discard port.
    const supplier = { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' }
    await whole.operator('PUT', '/suppliers/dead', { ...supplier, formats: ['chat-completion'] })
    await whole.operator('POST', '/suppliers/dead/credentials', { secret: 'sk-upstream-0001' })
    await whole.operator('PUT', '/models/lost', { owned_by: 'us' })
    await whole.operator('PUT', route, settings)
    const asked = await fetch(`${whole.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'lost', messages: [{ role: 'user', content: 'ping' }] }),
    })
    expect(asked.status).toBeGreaterThanOrEqual(500)
    type Listing = { data: { model: string; credentials: { success_rate: number }[] }[] }
    const rate = async () => {
      const { data } = await whole.operator<Listing>('GET', '/routes?limit=200')
      return data.find(({ model }) => model === 'lost')?.credentials[0]?.success_rate
    }
    expect(await rate()).toBeLessThan(1)
    await whole.operator('DELETE', route)
    expect(await rate()).toBeUndefined()
    await whole.operator('PUT', route, settings)
    expect(await rate()).toBe(1)
  } finally {
    await whole.stop()
  }
})
