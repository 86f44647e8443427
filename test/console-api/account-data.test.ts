import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SettlementView } from '../../src/vocabulary/settlement.ts'
import type { Shown } from '../../src/vocabulary/shape.ts'
import { aSettlement } from '../../src/vocabulary/testing/specimens.ts'
import { isSignedWith, startReceiver } from '../alerts/receiver.ts'
import { chat } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addHousehold, addOwnSupplier, askModel, type Household } from './support/account-stage.ts'
import { addPerson, browserOf, readAudit } from './support/people.ts'

const clock = createMovableClock()
let gateway: TestGateway
let house: Household

beforeAll(async () => {
  gateway = await startTestGateway({ clock, environment: { TURNPIKE_WEBHOOK_ALLOW_PRIVATE: 'on' } })
  house = await addHousehold(gateway, 'House')
})
afterAll(() => gateway.stop())

function call(name: string, body?: unknown) {
  const [method = '', path = ''] = name.split(' ')
  return house.owner.call(`${method} /accounts/${house.accountId}${path}`, body === undefined ? {} : { body })
}

test('payment methods that are enabled are listed by position', async () => {
  const methods = { cash: [7, true], card: [3, true], cheque: [0, false] } as const
  for (const [id, [position, enabled]] of Object.entries(methods)) {
    await gateway.operator('PUT', `/payment-methods/${id}`, { name: id, text: 'Pay.', position, enabled })
  }
  const { body } = await call('GET /payment-methods')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['card', 'cash'])
  expect(body.next_cursor).toBeNull()
})

describe('the overview', () => {
  test('shows requests and spending, in total and by group', async () => {
    const fresh = await addHousehold(gateway, 'Fresh')
    const at = `/accounts/${fresh.accountId}`
    await askModel(gateway, fresh)
    await askModel(gateway, fresh, { stream: true })
    await askModel(gateway, fresh, { model: 'sandbox-reasoner' })
    const { body } = await fresh.owner.call(`GET ${at}/overview`)
    expect(body.account).toMatchObject({ id: fresh.accountId, name: 'Fresh', tier: 'Starter' })
    expect(body.tier).toEqual({
      name: 'Starter',
      next: { name: 'Builder', total_paid_needed: '10', remaining: '10' },
      limits: { rpm: 120, tpm: 2_000_000 },
    })
    expect(body.totals).toMatchObject({ requests: 3, failed: 0, images: 0 })
    expect(body.totals.tokens.output).toBeGreaterThan(0)
    expect(Number(body.spend.today)).toBeGreaterThan(0)
    expect(body.spend.today).toBe(body.totals.amount)
    expect(body.spend.month).toBe(body.spend.today)
    expect(Number(body.account.balance)).toBe(-Number(body.spend.today))
    expect(body.keys).toEqual({ active: 1, total: 1 })
    expect(body.alerts).toEqual([])

    const usage = await fresh.owner.call(`GET ${at}/usage?group_by=model&granularity=hour`)
    expect(usage.body.data.map(({ at: when, group, requests }: never) => [when, group, requests])).toEqual([
      ['2026-06-10T12:00:00Z', 'sandbox-chat', 2],
      ['2026-06-10T12:00:00Z', 'sandbox-reasoner', 1],
    ])
    const all = await fresh.owner.call(`GET ${at}/usage`)
    expect(all.body.data).toEqual([
      expect.objectContaining({
        at: '2026-06-10T00:00:00Z',
        group: null,
        requests: 3,
        amount: body.spend.today,
      }),
    ])
    const largest = await fresh.owner.call(`GET ${at}/usage?group_by=model&top=1`)
    expect(largest.body.data.map(({ group, rest, requests }: never) => [group, rest, requests])).toEqual([
      [expect.any(String), false, expect.any(Number)],
      [null, true, expect.any(Number)],
    ])
    expect(largest.body.next_cursor).toBeNull()
    for (const point of largest.body.data) expect(point).not.toHaveProperty('cost')
    const byKey = await fresh.owner.call(`GET ${at}/usage?group_by=key`)
    expect(byKey.body.data[0].group).toBe(fresh.keyId)
    const ofKey = await fresh.owner.call(`GET ${at}/usage?key_id=${fresh.keyId}`)
    expect(ofKey.body.data).toEqual(all.body.data)
    const ofForeignKey = await fresh.owner.call(`GET ${at}/usage?key_id=key_of_another_account`)
    expect(ofForeignKey.body.data).toEqual([])
    const later = await fresh.owner.call(
      `GET ${at}/overview?from=2026-06-11T00:00:00Z&to=2026-06-12T00:00:00Z`,
    )
    expect(later.body.totals).toMatchObject({ requests: 0, first_byte_ms_avg: null, duration_ms_avg: null })
  })

  test('shows cost and margin to operators only', async () => {
    const { accountId, keyId, owner } = await addHousehold(gateway, 'Margins')
    const at = `/accounts/${accountId}`
    const startedAtMs = clock.nowMs()
    const settled = [
      aSettlement({
        requestId: 'req_margin',
        amountNano: 500n,
        costNano: 300n,
        accountId,
        keyId,
        startedAtMs,
      }),
      aSettlement({ requestId: 'req_loss', amountNano: 100n, costNano: 110n, accountId, keyId, startedAtMs }),
    ]
    await gateway.storage.writeSettlements(settled)
    const sums = { amount: '0.0000006', cost: '0.00000041', margin: '0.00000019' }
    const ofAll = await gateway.operator<{ data: unknown[] }>(
      'GET',
      `/usage?account_id=${accountId}&group_by=model,supplier`,
    )
    expect(ofAll.data).toEqual([expect.objectContaining({ model: 'model-1', supplier: 'sup_1', ...sums })])

    await addPerson(gateway, 'margins@example.com', { isOperator: true })
    const operator = await browserOf(gateway, 'margins@example.com')
    for (const path of [`${at}/usage?group_by=model`, `${at}/overview`]) {
      const figuresOf = async (visitor: typeof operator) => {
        const { body } = await visitor.call(`GET ${path}`)
        return body.totals ?? body.data[0]
      }
      expect(await figuresOf(operator)).toMatchObject(sums)
      const shown = await figuresOf(owner)
      expect(shown).toMatchObject({ requests: 2, amount: sums.amount })
      for (const name of ['cost', 'margin']) expect(shown).not.toHaveProperty(name)
    }
  })

  test('refuses invalid ranges and parameters', async () => {
    const wrong = [
      ['from=yesterday', 'from'],
      ['from=2026-06-12T00:00:00Z&to=2026-06-11T00:00:00Z', 'from'],
      ['granularity=minute', 'granularity'],
      ['group_by=account', 'group_by'],
      ['group_by=key&top=0', 'top'],
      ['group_by=key&top=21', 'top'],
      ['granularity=hour&from=2026-01-01T00:00:00Z', 'from'],
    ]
    for (const [query, param] of wrong) {
      const { status, body } = await call(`GET /usage?${query}`)
      expect([query, status, body.error.param]).toEqual([query, 400, param])
    }
  })
})

describe('models', () => {
  test('come with price, limits and the binding constraint', async () => {
    const { body } = await call('GET /models')
    const found = body.data.find(({ id }: { id: string }) => id === 'sandbox-chat')
    expect(found).toMatchObject({
      kinds: ['text'],
      source: 'shared',
      routeable: true,
      suppliers: expect.arrayContaining(['sandbox-openai']),
      limits: {
        rpm: { value: 120, constraint: 'account' },
        tpm: { value: 2_000_000, constraint: 'account' },
      },
    })
    expect(Number(found.price.output)).toBeGreaterThan(0)
  })

  test('tell whether they read images', async () => {
    const capabilities = { vision: false }
    await gateway.operator('PUT', '/models/blind', { owned_by: 'acme', kinds: ['text'], capabilities })
    const route = { upstream_model: 'sandbox-chat', price: { input: '1', output: '1' } }
    await gateway.operator('PUT', '/models/blind/routes/sandbox-openai', route)
    const { body } = await call('GET /models')
    const seeing = new Map(body.data.map(({ id, vision }: { id: string; vision: boolean }) => [id, vision]))
    expect([seeing.get('blind'), seeing.get('sandbox-chat')]).toEqual([false, true])
  })

  test('come with the price that the account pays: rates and variants with its mark-up', async () => {
    await gateway.operator('PUT', '/models/marked', { owned_by: 'acme' })
    await gateway.operator('PUT', '/models/marked/routes/sandbox-openai', {
      upstream_model: 'sandbox-chat',
      price: {
        input: '1',
        output: '2',
        images: [{ size: '1024x1024', price: '0.1' }],
        variants: [{ when: { prompt_above: 200_000, tier: 'flex' }, input: '0.000000001', web_search: '3' }],
      },
      cost: { input: '0.5', output: '1' },
    })
    const shown = async () => {
      const { body } = await call('GET /models')
      return body.data.find(({ id }: { id: string }) => id === 'marked')
    }
    const plain = await shown()
    expect([plain.markup_percent, plain.price.input, plain.price.variants[0].when]).toEqual([
      null,
      '1',
      { prompt_above: 200_000, tier: 'flex' },
    ])
    await gateway.operator('PUT', '/mark-ups/own', {
      applies_to: 'account',
      name: house.accountId,
      percent: 50,
    })
    const marked = await shown()
    expect([marked.markup_percent, marked.price]).toEqual([
      50,
      {
        input: '1.5',
        output: '3',
        cache_read: '1.5',
        cache_write: '1.5',
        image: '0',
        images: [{ size: '1024x1024', quality: null, price: '0.15' }],
        // Half a nano more is rounded up.
        variants: [
          { when: { prompt_above: 200_000, tier: 'flex' }, input: '0.000000002', web_search: '4.5' },
        ],
      },
    ])
    // What the supplier charges is for operators only.
    expect(JSON.stringify(marked)).not.toContain('cost')
    await gateway.operator('DELETE', '/mark-ups/own')
  })

  test('are those of a key when one is named, and a change shows at once in /v1/models', async () => {
    const made = await call('POST /keys', { name: 'narrow', rpm: 7 })
    const listed = async () => {
      const { body } = await call(`GET /models?key_id=${made.body.id}`)
      const headers = { authorization: `Bearer ${made.body.secret}` }
      const client = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as typeof body
      const ids = (list: { data: { id: string }[] }) => list.data.map(({ id }) => id)
      expect(ids(body)).toEqual(ids(client))
      return body.data
    }
    expect((await listed())[0].limits.rpm).toEqual({ value: 7, constraint: 'key' })
    await call(`PATCH /keys/${made.body.id}`, { model_allowlist: ['sandbox-slow'] })
    expect((await listed()).map(({ id }: { id: string }) => id)).toEqual(['sandbox-slow'])
  })
})

describe('keys', () => {
  test('are created, changed, rotated and revoked in the name of the signed-in user', async () => {
    const made = await call('POST /keys', { name: 'one', usage_limit: { period: 'daily', amount: '5' } })
    expect(made.body.secret).toStartWith('sk-')
    const id = made.body.id
    expect((await call(`GET /keys/${id}`)).body).toMatchObject({ name: 'one', state: 'active' })
    const rotated = await call(`POST /keys/${id}/rotate`, {})
    expect(rotated.body.secret).not.toBe(made.body.secret)
    expect((await chat(gateway.url, {}, { key: made.body.secret })).status).toBe(401)
    expect((await call(`DELETE /keys/${id}`)).body.state).toBe('revoked')
    const lines = (await readAudit(gateway)).filter(({ subject }) => subject === id)
    expect(lines.map(({ actor, action }) => [actor, action])).toEqual([
      ['user:owner@house.example', 'key.revoked'],
      ['user:owner@house.example', 'key.rotated'],
      ['user:owner@house.example', 'key.created'],
    ])
  })

  test('of the playground are one for each user, twelve hours long, and new at each call', async () => {
    await addPerson(gateway, 'player@house.example', { accountId: house.accountId, role: 'developer' })
    const player = await browserOf(gateway, 'player@house.example')
    const first = await call('POST /playground-key', {})
    expect(first.body.expires_at).toBe('2026-06-11T00:00:00Z')
    expect((await chat(gateway.url, {}, { key: first.body.secret })).status).toBe(200)
    const both = await Promise.all([call('POST /playground-key', {}), call('POST /playground-key', {})])
    expect(both.map(({ body }) => body.key_id)).toEqual([first.body.key_id, first.body.key_id])
    expect((await chat(gateway.url, {}, { key: first.body.secret })).status).toBe(401)
    expect((await chat(gateway.url, {}, { key: both[1]?.body.secret })).status).toBe(200)
    const other = await player.call(`POST /accounts/${house.accountId}/playground-key`, { body: {} })
    expect(other.body.key_id).not.toBe(first.body.key_id)
    expect((await call(`GET /keys/${other.body.key_id}`)).body.name).toBe('Playground')
    await call(`PATCH /keys/${other.body.key_id}`, { state: 'disabled' })
    const refused = await player.call(`POST /accounts/${house.accountId}/playground-key`, { body: {} })
    expect(refused.status).toBe(403)
    await call(`DELETE /keys/${first.body.key_id}`)
    expect((await call('POST /playground-key', {})).body.key_id).not.toBe(first.body.key_id)
  })
})

describe('settlements', () => {
  test('are found by key, model and outcome', async () => {
    const requestId = await askModel(gateway, house, { model: 'sandbox-reasoner' })
    const good = await call('GET /settlements?model=sandbox-reasoner&outcome=completed')
    expect(good.body.data.map(({ request_id }: { request_id: string }) => request_id)).toEqual([requestId])
    expect((await call('GET /settlements?outcome=supplier_failed')).body.data).toEqual([])
    expect((await call(`GET /settlements?key_id=${house.keyId}&limit=1`)).body.data).toHaveLength(1)
    expect((await call('GET /settlements?outcome=odd')).status).toBe(400)
    expect((await call(`GET /settlements/${requestId}`)).body).toMatchObject({
      model: 'sandbox-reasoner',
      outcome: 'completed',
      attempts: [{ result: 'answered' }],
    })
  })

  test('show members how the amount was calculated, and operators also the cost', async () => {
    const requestId = await askModel(gateway, house)
    const { lines, ...sums } = await gateway.operator<Shown<typeof SettlementView>>(
      'GET',
      `/settlements/${requestId}`,
    )
    expect(sums).toMatchObject({ price_total: sums.amount, cost: sums.amount, cost_rates: null })
    expect(lines.length).toBeGreaterThan(0)
    const { body } = await call(`GET /settlements/${requestId}`)
    expect(body).toMatchObject({ lines, price_total: sums.amount })
    const listed = (await call('GET /settlements?limit=1')).body.data[0]
    for (const shown of [body, listed]) {
      expect(shown).not.toHaveProperty('cost')
      expect(shown).not.toHaveProperty('cost_rates')
    }
  })

  test('hide the error text of a shared supplier', async () => {
    const body = JSON.stringify({ error: { message: 'org-platform-secret is over its limit' } })
    const fault = { fault: { type: 'status', status: 500, body }, times: 1 } as const
    gateway.sandbox.faults.set(fault)
    const requestId = await askModel(gateway, house)
    const detail = await gateway.operator<{ attempts: { failure: string | null }[] }>(
      'GET',
      `/settlements/${requestId}`,
    )
    expect(detail.attempts[0]?.failure).toBeString()
    const shown = await call(`GET /settlements/${requestId}`)
    expect(shown.body.attempts[0]).toMatchObject({ result: 'failed', status: 500, failure: null })
    expect((await call('GET /settlements?outcome=supplier_failed')).body.data).toEqual([])

    await addOwnSupplier(gateway, house, 'own-and-failing')
    gateway.sandbox.faults.set(fault)
    const own = await askModel(gateway, house)
    expect((await call(`GET /settlements/${own}`)).body.attempts[0].failure).toBeString()
    const failed = await call('GET /settlements?outcome=supplier_failed')
    expect(failed.body.data.map(({ request_id }: { request_id: string }) => request_id)).toEqual([own])
    await call('DELETE /own-suppliers/own-and-failing')
  })

  test('are exported', async () => {
    await askModel(gateway, house)
    const { status, headers, body } = await call('GET /exports/settlements?format=csv')
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="settlements.csv"',
    ])
    const [head = '', ...lines] = String(body).trim().split(/\r?\n/)
    const columns = head.split(',')
    expect(columns).toContain('price_total')
    for (const name of ['credential_id', 'cost', 'cost_rates', 'margin']) expect(columns).not.toContain(name)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toContain(house.accountId)
  })
})

describe('own suppliers', () => {
  test('serve only their account, without a price, and never show their secrets', async () => {
    const { credentialId } = await addOwnSupplier(gateway, house, 'house-supplier')
    const { body } = await call('GET /own-suppliers')
    expect(body.data).toEqual([
      expect.objectContaining({
        id: 'house-supplier',
        source: 'byok',
        account_id: house.accountId,
        credentials: [expect.objectContaining({ id: credentialId, label: 'mine' })],
      }),
    ])
    expect(JSON.stringify(body)).not.toContain('sk-sandbox-own-credential')
    const model = (await call('GET /models')).body.data.find(
      ({ id }: { id: string }) => id === 'sandbox-chat',
    )
    expect([model.source, model.price.output]).toEqual(['mixed', '0'])
    const requestId = await askModel(gateway, house)
    expect((await call(`GET /settlements/${requestId}`)).body).toMatchObject({
      supplier: 'house-supplier',
      amount: '0',
    })
    const bound = { name: 'bound', route_policy: { mode: 'specified_provider', provider: 'house-supplier' } }
    const key = await call('POST /keys', bound)
    expect((await call('DELETE /own-suppliers/house-supplier')).status).toBe(400)
    await call(`DELETE /keys/${key.body.id}`)
    expect((await call(`DELETE /own-credentials/${credentialId}`)).body).toEqual({
      id: credentialId,
      deleted: true,
    })
    expect((await call('DELETE /own-suppliers/house-supplier')).status).toBe(200)
    expect((await call('GET /own-suppliers')).body.data).toEqual([])
  })

  test('may only have public https addresses', async () => {
    const refused = [
      'http://api.example.com/v1',
      'https://127.0.0.1/v1',
      'https://10.0.0.5/v1',
      'https://[::1]/v1',
      'https://169.254.169.254/latest',
      'https://localhost/v1',
      'https://db.internal/v1',
      'https://redis/v1',
      'https://2130706433/v1',
      'https://0x7f.1/v1',
    ]
    for (const base_url of refused) {
      const body = { type: 'openai-compatible', base_url, formats: ['chat-completion'] }
      const answer = await call('PUT /own-suppliers/elsewhere', body)
      expect([base_url, answer.status, answer.body.error?.param]).toEqual([base_url, 400, 'base_url'])
    }
    const open = {
      type: 'openai-compatible',
      base_url: 'https://api.example.com/v1',
      formats: ['chat-completion'],
    }
    const put = await call('PUT /own-suppliers/elsewhere', { ...open, source: 'shared', account_id: null })
    expect(put.body).toMatchObject({ source: 'byok', account_id: house.accountId })
    // What an operator has allowed may stay, and be switched off.
    const inside = { ...open, base_url: 'http://10.0.0.5/v1', source: 'byok', account_id: house.accountId }
    await gateway.operator('PUT', '/suppliers/elsewhere', inside)
    expect((await call('PUT /own-suppliers/elsewhere', { ...inside, enabled: false })).body.enabled).toBe(
      false,
    )
    expect((await call('DELETE /own-suppliers/elsewhere')).status).toBe(200)
  })

  test('have no option that points to another address', async () => {
    const vertex = { type: 'vertex', base_url: 'https://aiplatform.googleapis.com', formats: ['messages'] }
    const at = (token_uri: string) =>
      call('PUT /own-suppliers/elsewhere', { ...vertex, options: { location: 'global', token_uri } })
    for (const address of ['http://169.254.169.254/x', 'https://10.0.0.5/token', 'file:///etc/passwd']) {
      const { status, body } = await at(address)
      expect([address, status, body.error?.param]).toEqual([address, 400, 'options.token_uri'])
    }
    expect((await at('https://tokens.example.com/token')).status).toBe(200)
    await call('DELETE /own-suppliers/elsewhere')
  })

  test('cannot use a keyless supplier of the platform for free', async () => {
    const machine = {
      type: 'openai-compatible',
      base_url: 'http://10.0.0.5:11434/v1',
      formats: ['chat-completion'],
    }
    await gateway.operator('PUT', '/suppliers/house-machine', { ...machine, enabled: true })
    const { status, body } = await call('PUT /own-suppliers/elsewhere', machine)
    expect([status, body.error?.param]).toEqual([400, 'base_url'])
  })

  test('never take the name of a shared one', async () => {
    const body = { type: 'openai', base_url: 'https://api.example.com/v1', formats: ['chat-completion'] }
    expect((await call('PUT /own-suppliers/sandbox-openai', body)).status).toBe(404)
    // Nor one that a shared one will have once the platform has a key there.
    expect((await call('PUT /own-suppliers/groq', body)).status).toBe(404)
  })
})

describe('the webhook', () => {
  test('is set, tested with a signed event, and removed', async () => {
    const receiver = startReceiver()
    try {
      expect((await call('POST /webhook/test', {})).status).toBe(404)
      const put = await call('PUT /webhook', { url: receiver.url })
      expect(put.body.secret).toStartWith('whsec_')
      expect((await call('GET /webhook')).body.secret).toBeUndefined()
      expect((await call('POST /webhook/test', {})).body).toEqual({ delivered: true, failure: null })
      const [received] = receiver.calls
      expect(received?.body).toMatchObject({ kind: 'test', account_id: house.accountId })
      expect(received && isSignedWith(received, put.body.secret)).toBe(true)
      receiver.answerWith(() => new Response('', { status: 500 }))
      expect((await call('POST /webhook/test', {})).body).toEqual({
        delivered: false,
        failure: 'The receiver answered 500.',
      })
      expect((await call('DELETE /webhook')).status).toBe(200)
      expect((await call('GET /webhook')).status).toBe(404)
    } finally {
      await receiver.stop()
    }
  })
})

describe('members', () => {
  test('are added and removed by owners, and one owner always stays', async () => {
    const { id } = await addPerson(gateway, 'new@house.example')
    expect((await call('POST /members', { email: 'nobody@house.example', role: 'developer' })).status).toBe(
      400,
    )
    const added = await call('POST /members', { email: 'New@House.example', role: 'developer' })
    expect(added.body).toEqual({
      user_id: id,
      email: 'new@house.example',
      name: 'new@house.example',
      role: 'developer',
    })
    const joined = await browserOf(gateway, 'new@house.example')
    expect((await joined.call(`GET /accounts/${house.accountId}/keys`)).status).toBe(200)
    expect((await joined.call(`GET /accounts/${house.accountId}/members`)).status).toBe(403)
    expect((await call(`DELETE /members/${id}`)).status).toBe(200)
    expect((await joined.call(`GET /accounts/${house.accountId}/keys`)).status).toBe(404)
    expect((await call(`DELETE /members/${house.ownerId}`)).status).toBe(400)
    const demoted = await call('POST /members', { email: 'OWNER@house.example', role: 'developer' })
    expect([demoted.status, demoted.body.error.param]).toEqual([400, 'role'])
  })
})

test('the system page shows the state of the node, and no secret', async () => {
  const system = await gateway.operator<Record<string, unknown>>('GET', '/system')
  expect(system).toMatchObject({
    version: expect.any(String),
    database: { engine: 'sqlite', ping_ms: expect.any(Number), size_bytes: expect.any(Number) },
    journal: { waiting: expect.any(Number) },
    redis: null,
    settings: { sandbox: 'on', database: 'sqlite' },
  })
  const text = JSON.stringify(system)
  for (const secret of [
    'server-secret-for-tests',
    'operator-token-for-tests-0123456789',
    'sk-bootstrap-key-for-tests',
  ]) {
    expect(text).not.toContain(secret)
  }
})
