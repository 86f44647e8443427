import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addAccount, addSupply, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const SUPPLIER = {
  type: 'openai-compatible',
  base_url: 'http://127.0.0.1:4020/v1',
  formats: ['chat-completion', 'responses'],
  enabled: true,
}

const USUAL = { connect_seconds: null, first_byte_seconds: null, idle_seconds: null }

const MODEL = {
  owned_by: 'openai',
  display_name: 'GPT-5',
  description: 'A model.',
  kinds: ['text'],
  input_token_limit: 400_000,
  output_token_limit: 128_000,
  rpm: null,
  tpm: null,
}

const ROUTE = { upstream_model: 'up', price: { input: '1.25', output: '10' }, enabled: true }

describe('suppliers', () => {
  test('are put, echoed and listed', async () => {
    const put = await gateway.ask('PUT /suppliers/acme', SUPPLIER)
    const shown = {
      id: 'acme',
      ...SUPPLIER,
      source: 'shared',
      account_id: null,
      options: {},
      aborts: null,
      timeouts: USUAL,
    }
    expect([put.status, put.body]).toEqual([200, shown])
    expect((await gateway.ask('GET /suppliers/acme')).body).toEqual(shown)
    expect((await gateway.ask('GET /suppliers')).body).toEqual({ data: [shown], next_cursor: null })
  })

  test('are replaced completely; putting the same again leaves no audit event', async () => {
    await gateway.ask('PUT /suppliers/acme', SUPPLIER)
    await gateway.ask('PUT /suppliers/acme', SUPPLIER)
    const replaced = await gateway.ask('PUT /suppliers/acme', { ...SUPPLIER, enabled: false })
    expect(replaced.body.enabled).toBe(false)
    const { data } = (await gateway.ask('GET /audit')).body
    expect(data.map((event: { action: string }) => event.action)).toEqual([
      'supplier.changed',
      'supplier.created',
    ])
  })

  test('a slash at the end of an address is not kept', async () => {
    const { body } = await gateway.ask('PUT /suppliers/acme', {
      ...SUPPLIER,
      base_url: 'https://x.example/v1/',
    })
    expect(body.base_url).toBe('https://x.example/v1')
  })
})

describe('optional settings of suppliers', () => {
  test('options and time-outs are put, echoed and kept', async () => {
    const fields = {
      options: { organization: 'org-1' },
      timeouts: { connect_seconds: 0.5, first_byte_seconds: 30, idle_seconds: null },
    }
    const { body } = await gateway.ask('PUT /suppliers/acme', { ...SUPPLIER, ...fields })
    expect(body).toMatchObject(fields)
    const [stored] = (await gateway.storage.loadConfiguration()).suppliers
    expect(stored).toMatchObject({
      options: { organization: 'org-1' },
      timeouts: { connectMs: 500, firstByteMs: 30_000, idleMs: null },
    })
    expect((await gateway.ask('PUT /suppliers/acme', SUPPLIER)).body).toMatchObject({
      options: {},
      timeouts: USUAL,
    })
  })

  test('an option the type does not have is refused together with those it has', async () => {
    const put = (type: string, formats: string[]) =>
      gateway.ask('PUT /suppliers/x', { ...SUPPLIER, type, formats, options: { regoin: 'eu' } })
    expect((await put('openai-compatible', ['responses'])).body.error.message).toBe(
      'Supplier type "openai-compatible" has no option "regoin"; it has: organization, region.',
    )
    expect((await put('anthropic', ['messages'])).body.error.message).toBe(
      'Supplier type "anthropic" has no option "regoin"; it has none.',
    )
  })
})

describe('suppliers of one account', () => {
  test('name an account that exists', async () => {
    const account = await addAccount(gateway)
    const body = { ...SUPPLIER, source: 'byok', account_id: account }
    expect((await gateway.ask('PUT /suppliers/own', body)).body).toMatchObject({
      source: 'byok',
      account_id: account,
    })
    const unknown = await gateway.ask('PUT /suppliers/other', { ...body, account_id: 'acc_nobody' })
    expect(unknown.body.error).toMatchObject({
      param: 'account_id',
      message: 'There is no account "acc_nobody".',
    })
  })

  test('cannot move to another account while they have credentials', async () => {
    const [one, other] = [await addAccount(gateway), await addAccount(gateway)]
    const body = { ...SUPPLIER, source: 'byok', account_id: one }
    await gateway.ask('PUT /suppliers/own', body)
    const added = await gateway.ask('POST /suppliers/own/credentials', { secret: 'sk-of-one-account' })
    const handOver = () => gateway.ask('PUT /suppliers/own', { ...body, account_id: other })
    expect((await handOver()).body.error.param).toBe('account_id')
    expect((await gateway.ask('PUT /suppliers/own', SUPPLIER)).body.error.param).toBe('source')
    expect((await gateway.ask('PUT /suppliers/own', { ...body, enabled: false })).status).toBe(200)
    await gateway.ask(`DELETE /credentials/${added.body.id}`)
    expect((await handOver()).body.account_id).toBe(other)
  })

  test('do not exist for the route policies of other accounts', async () => {
    const [one, other] = [await addAccount(gateway), await addAccount(gateway)]
    await gateway.ask('PUT /suppliers/own', { ...SUPPLIER, source: 'byok', account_id: one })
    const policy = { route_policy: { mode: 'specified_provider', provider: 'own' } }
    const create = (account: string) =>
      gateway.ask(`POST /accounts/${account}/keys`, { name: 'k', ...policy })
    expect((await create(one)).body.route_policy.provider).toBe('own')
    const refused = await create(other)
    expect(refused.body.error).toMatchObject({
      param: 'route_policy.provider',
      message: 'There is no supplier "own".',
    })
    const key = (await gateway.ask(`POST /accounts/${other}/keys`, { name: 'k' })).body.id
    const changed = await gateway.ask(`PATCH /keys/${key}`, policy)
    expect(changed.body.error.message).toBe('There is no supplier "own".')
  })
})

describe('credentials', () => {
  test('are added, changed, listed and deleted, and never shown', async () => {
    await gateway.ask('PUT /suppliers/acme', SUPPLIER)
    const secret = 'sk-upstream-abcd'
    const added = await gateway.ask('POST /suppliers/acme/credentials', { secret, rpm: 600, label: 'main' })
    expect(added.body).toEqual({
      id: added.body.id,
      supplier: 'acme',
      label: 'main',
      last_four: 'abcd',
      rpm: 600,
      tpm: null,
      weight: 1,
      state: 'active',
    })
    const { id } = added.body
    const changed = await gateway.ask(`PATCH /credentials/${id}`, { weight: 3, state: 'disabled', rpm: null })
    expect(changed.body).toEqual({ ...added.body, weight: 3, state: 'disabled', rpm: null })
    const listed = await gateway.ask('GET /suppliers/acme/credentials')
    expect(listed.body).toEqual({ data: [changed.body], next_cursor: null })
    const [stored] = (await gateway.storage.loadConfiguration()).credentials
    expect(stored).toMatchObject({ id, secret, weight: 3, state: 'disabled' })

    const deleted = await gateway.ask(`DELETE /credentials/${id}`)
    expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true }])
    expect((await gateway.ask('GET /suppliers/acme/credentials')).body.data).toEqual([])
    expect((await gateway.storage.loadConfiguration()).credentials).toEqual([])
    expect((await gateway.ask(`DELETE /credentials/${id}`)).status).toBe(404)
  })

  test('get a new secret in place of the old one, and the audit records it without showing either', async () => {
    const { credentialId } = await addSupply(gateway)
    const changed = await gateway.ask(`PATCH /credentials/${credentialId}`, {
      secret: 'sk-upstream-new-7777',
    })
    expect(changed.body).toMatchObject({ id: credentialId, last_four: '7777', rpm: 600 })
    const [stored] = (await gateway.storage.loadConfiguration()).credentials
    expect(stored?.secret).toBe('sk-upstream-new-7777')
    const audit = await gateway.ask('GET /audit')
    expect(audit.body.data[0]).toMatchObject({ action: 'credential.rotated', subject: credentialId })
    expect(audit.text).not.toContain('sk-upstream')
  })

  test('are validated by the type of their supplier', async () => {
    await gateway.ask('PUT /suppliers/docs', { ...SUPPLIER, type: 'anthropic', formats: ['messages'] })
    const add = (secret: string) => gateway.ask('POST /suppliers/docs/credentials', { secret })
    expect((await add('hunter2')).body.error.message).toBe('secret must be a JSON document.')
    const { body } = await add('{\n"private_key": "x"\n}')
    const changed = await gateway.ask(`PATCH /credentials/${body.id}`, { secret: 'hunter2' })
    expect([changed.status, changed.body.error.param]).toEqual([400, 'secret'])
    expect(changed.text).not.toContain('hunter2')
  })

  test('a short secret is not shown even in part', async () => {
    await gateway.ask('PUT /suppliers/acme', SUPPLIER)
    const { body } = await gateway.ask('POST /suppliers/acme/credentials', { secret: 'sk-up-1' })
    expect(body.last_four).toBeNull()
  })

  test('survive a change of their supplier', async () => {
    await addSupply(gateway)
    await gateway.ask('PUT /suppliers/acme', { ...SUPPLIER, enabled: false })
    expect((await gateway.ask('GET /suppliers/acme/credentials')).body.data).toHaveLength(1)
    expect((await gateway.ask('GET /routes')).body.data).toHaveLength(1)
  })
})

describe('models', () => {
  test('are put, echoed and listed, and keep their age', async () => {
    const put = await gateway.ask('PUT /models/gpt-5', MODEL)
    const shown = { id: 'gpt-5', ...MODEL, capabilities: {}, created_at: '2026-06-01T12:00:00Z' }
    expect([put.status, put.body]).toEqual([200, shown])
    gateway.clock.timeMs += 60_000
    const again = await gateway.ask('PUT /models/gpt-5', { ...MODEL, capabilities: { vision: true } })
    expect(again.body).toEqual({ ...shown, capabilities: { vision: true } })
    expect((await gateway.ask('GET /models')).body).toEqual({ data: [again.body], next_cursor: null })
  })

  test('omitted fields have defaults', async () => {
    const { body } = await gateway.ask('PUT /models/tiny', { owned_by: 'us' })
    expect(body).toMatchObject({
      display_name: 'tiny',
      description: '',
      kinds: ['text'],
      input_token_limit: null,
    })
  })

  test.each(['meta/llama-3.1:free', 'a/b/c.d', 'gemini-2.5-pro@latest'])(
    'id %s works raw and percent-encoded, and so do its routes',
    async (id) => {
      await gateway.ask('PUT /suppliers/acme', SUPPLIER)
      const encoded = encodeURIComponent(id)
      expect((await gateway.ask(`PUT /models/${id}`, MODEL)).body.id).toBe(id)
      expect((await gateway.ask(`GET /models/${encoded}`)).body.id).toBe(id)
      expect((await gateway.ask(`GET /models/${id}`)).body.id).toBe(id)
      const raw = await gateway.ask(`PUT /models/${id}/routes/acme`, ROUTE)
      expect(raw.body).toMatchObject({ model: id, supplier: 'acme' })
      const changed = await gateway.ask(`PUT /models/${encoded}/routes/acme`, { ...ROUTE, priority: 9 })
      expect(changed.body).toMatchObject({ model: id, priority: 9 })
      expect(gateway.configuration.current().supply.routesByModel.get(id)).toHaveLength(1)
    },
  )

  test('an id may have 200 characters and not one more', async () => {
    expect((await gateway.ask(`PUT /models/${'m'.repeat(200)}`, MODEL)).status).toBe(200)
    expect((await gateway.ask(`PUT /models/${'m'.repeat(201)}`, MODEL)).body.error.param).toBe('id')
  })
})

describe('routes', () => {
  test('are put and echoed; a cached token without a price costs what a fresh one does', async () => {
    await addSupply(gateway)
    const { body } = await gateway.ask('PUT /models/gpt-5/routes/acme', {
      upstream_model: 'up',
      formats: ['responses'],
      price: { input: '1.25', output: '10', cache_read: '0.125', image: '0.04' },
      rpm: 100,
    })
    expect(body).toEqual({
      model: 'gpt-5',
      supplier: 'acme',
      upstream_model: 'up',
      formats: ['responses'],
      price: { input: '1.25', output: '10', cache_read: '0.125', cache_write: '1.25', image: '0.04' },
      cost: null,
      price_source: 'manual',
      rpm: 100,
      tpm: null,
      priority: 1,
      enabled: true,
    })
    const [stored] = (await gateway.storage.loadConfiguration()).routes
    expect(stored).toEqual(gateway.configuration.current().supply.routesByModel.get('gpt-5')?.[0])
  })

  test('may be without a price', async () => {
    await addSupply(gateway)
    const { body } = await gateway.ask('PUT /models/gpt-5/routes/acme', { upstream_model: 'up' })
    expect(body.price).toBeNull()
  })

  test('are listed with the remaining capacity of each credential', async () => {
    const { credentialId } = await addSupply(gateway)
    const { body } = await gateway.ask('GET /routes')
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({
      model: 'gpt-5',
      supplier: 'acme',
      credentials: [
        {
          id: credentialId,
          state: 'active',
          circuit: 'closed',
          opens_again_at: null,
          cooling_until: null,
          latency_ms: null,
          success_rate: 1,
          supplier_remaining: null,
          remaining_requests: 600,
          remaining_tokens: null,
        },
      ],
    })
  })
})

const REFUSED: readonly [call: string, body: object, param: string][] = [
  ['PUT /suppliers/Acme', SUPPLIER, 'id'],
  ['PUT /suppliers/-acme', SUPPLIER, 'id'],
  [`PUT /suppliers/${'a'.repeat(65)}`, SUPPLIER, 'id'],
  ['PUT /suppliers/x', { ...SUPPLIER, type: 'bedrock' }, 'type'],
  ['PUT /suppliers/x', { ...SUPPLIER, type: 'carrier-pigeon' }, 'type'],
  ['PUT /suppliers/x', { ...SUPPLIER, source: 'byok' }, 'account_id'],
  ['PUT /suppliers/x', { ...SUPPLIER, source: 'byok', account_id: 'acc_nobody' }, 'account_id'],
  ['PUT /suppliers/x', { ...SUPPLIER, source: 'borrowed' }, 'source'],
  ['PUT /suppliers/x', { ...SUPPLIER, options: { colour: 'red' } }, 'options.colour'],
  ['PUT /suppliers/x', { ...SUPPLIER, options: { region: 'a\r\nb' } }, 'options.region'],
  ['PUT /suppliers/x', { ...SUPPLIER, options: { region: ' ' } }, 'options.region'],
  ['PUT /suppliers/x', { ...SUPPLIER, options: { region: 1 } }, 'options.region'],
  ['PUT /suppliers/x', { ...SUPPLIER, timeouts: { connect_seconds: 61 } }, 'timeouts.connect_seconds'],
  ['PUT /suppliers/x', { ...SUPPLIER, timeouts: { idle_seconds: 0.01 } }, 'timeouts.idle_seconds'],
  ['PUT /suppliers/x', { ...SUPPLIER, timeouts: { first_byte_seconds: 0 } }, 'timeouts.first_byte_seconds'],
  ['PUT /suppliers/x', { ...SUPPLIER, timeouts: { first_byte_seconds: '5' } }, 'timeouts.first_byte_seconds'],
  ['PUT /suppliers/x', { ...SUPPLIER, timeouts: { total_seconds: 5 } }, 'timeouts.total_seconds'],
  ['PUT /suppliers/x', { ...SUPPLIER, account_id: 'acc_1' }, 'account_id'],
  ['PUT /suppliers/x', { ...SUPPLIER, formats: [] }, 'formats'],
  ['PUT /suppliers/x', { ...SUPPLIER, formats: ['responses', 'images'] }, 'formats[1]'],
  ['PUT /suppliers/x', { ...SUPPLIER, formats: ['messages'] }, 'formats[0]'],
  ['PUT /suppliers/x', { ...SUPPLIER, formats: ['fax'] }, 'formats[0]'],
  ['PUT /suppliers/x', { ...SUPPLIER, base_url: 'ftp://x' }, 'base_url'],
  ['PUT /suppliers/x', { ...SUPPLIER, base_url: 'nowhere' }, 'base_url'],
  ['PUT /suppliers/x', { ...SUPPLIER, base_url: 'https://user:hunter2@x.example' }, 'base_url'],
  ['PUT /suppliers/x', { ...SUPPLIER, base_url: 'https://x.example/?key=hunter2' }, 'base_url'],
  ['PUT /suppliers/x', { ...SUPPLIER, base_url: 'https://x.example/#hunter2' }, 'base_url'],
  ['PUT /suppliers/x', { ...SUPPLIER, enabled: 'yes' }, 'enabled'],
  ['PUT /suppliers/x', { ...SUPPLIER, baseUrl: 'x' }, 'baseUrl'],
  ['POST /suppliers/acme/credentials', {}, 'secret'],
  ['POST /suppliers/acme/credentials', { secret: '' }, 'secret'],
  ['POST /suppliers/acme/credentials', { secret: 'hunter2\r\nx-evil: 1' }, 'secret'],
  ['POST /suppliers/acme/credentials', { secret: 12345678 }, 'secret'],
  ['POST /suppliers/acme/credentials', { secret: 'hunter2', weight: 0 }, 'weight'],
  ['POST /suppliers/acme/credentials', { secret: 'hunter2', rpm: -1 }, 'rpm'],
  ['PATCH /credentials/CREDENTIAL', { secret: 'hunter2\r\nx-evil: 1' }, 'secret'],
  ['PATCH /credentials/CREDENTIAL', { secret: '' }, 'secret'],
  ['PATCH /credentials/CREDENTIAL', { state: 'gone' }, 'state'],
  ['PUT /models/-x', MODEL, 'id'],
  ['PUT /models/a%20b', MODEL, 'id'],
  ['PUT /models/a%2F%2Fb', MODEL, 'id'],
  ['PUT /models/x', { ...MODEL, kinds: [] }, 'kinds'],
  ['PUT /models/x', { ...MODEL, kinds: ['smell'] }, 'kinds[0]'],
  ['PUT /models/x', { ...MODEL, price: '1' }, 'price'],
  ['PUT /models/x', {}, 'owned_by'],
  ['PUT /models/gpt-5/routes/acme', { ...ROUTE, upstream_model: '' }, 'upstream_model'],
  ['PUT /models/gpt-5/routes/acme', { ...ROUTE, price: { input: '1' } }, 'price.output'],
  ['PUT /models/gpt-5/routes/acme', { ...ROUTE, price: { input: 1.25, output: '1' } }, 'price.input'],
  ['PUT /models/gpt-5/routes/acme', { ...ROUTE, price: { input: '-1', output: '1' } }, 'price.input'],
  [
    'PUT /models/gpt-5/routes/acme',
    { ...ROUTE, price: { input: '1', output: '1', cache: '1' } },
    'price.cache',
  ],
  ['PUT /models/gpt-5/routes/acme', { ...ROUTE, formats: ['messages'] }, 'formats[0]'],
  ['PUT /models/gpt-5/routes/acme', { ...ROUTE, formats: [] }, 'formats'],
  ['PUT /models/gpt-5/routes/acme', { ...ROUTE, priority: -1 }, 'priority'],
]

describe('refusals', () => {
  test.each(REFUSED)('%s %j names %s and repeats no secret', async (call, body, param) => {
    const { credentialId } = await addSupply(gateway)
    const before = gateway.configuration.current()
    const answer = await gateway.ask(call.replace('CREDENTIAL', credentialId), body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', param })
    expect(answer.text).not.toMatch(/hunter2|12345678/)
    expect(gateway.configuration.current()).toBe(before)
  })

  test('an unsupported type is refused with a list of supported ones', async () => {
    const type = await gateway.ask('PUT /suppliers/x', { ...SUPPLIER, type: 'bedrock' })
    expect(type.body.error.message).toBe(
      'Supplier type "bedrock" does not exist. Use one of: openai-compatible, anthropic.',
    )
  })

  test.each([
    ['GET /suppliers/nobody', undefined],
    ['GET /suppliers/nobody/credentials', undefined],
    ['POST /suppliers/nobody/credentials', { secret: 'x' }],
    ['PATCH /credentials/nobody', { weight: 2 }],
    ['DELETE /credentials/nobody', undefined],
    ['GET /models/nobody', undefined],
    ['PUT /models/nobody/routes/acme', ROUTE],
    ['PUT /models/gpt-5/routes/nobody', ROUTE],
  ])('%s is not found', async (call, body) => {
    await addSupply(gateway)
    const answer = await gateway.ask(call, body)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
  })
})

describe('what a type or kind implies', () => {
  test('a supplier without formats has those of its type that this version speaks', async () => {
    const { formats: _, ...rest } = SUPPLIER
    const { body } = await gateway.ask('PUT /suppliers/acme', rest)
    expect(body.formats).toEqual(['chat-completion', 'responses'])
    const refused = await gateway.ask('PUT /suppliers/acme', { ...SUPPLIER, formats: null })
    expect(refused.body.error).toMatchObject({ param: 'formats', message: 'formats must be of type array.' })
    const unknown = await gateway.ask('PUT /suppliers/other', { ...rest, type: 'bedrock' })
    expect(unknown.body.error.param).toBe('type')
  })

  test.each([[['image']], [['image', 'image-edit']]])(
    'a route of a model that only makes images needs no price for tokens: %j',
    async (kinds) => {
      await addSupply(gateway)
      await gateway.ask('PUT /models/painter', { owned_by: 'us', kinds })
      const put = (price: object) =>
        gateway.ask('PUT /models/painter/routes/acme', { upstream_model: 'p', price })
      expect((await put({ image: '0.04' })).body.price).toEqual({
        input: '0',
        output: '0',
        cache_read: '0',
        cache_write: '0',
        image: '0.04',
      })
      expect((await put({ input: '5', image: '0.04' })).body.price).toMatchObject({
        input: '5',
        output: '0',
        cache_read: '5',
      })
    },
  )

  test.each([[['text']], [['text', 'image']]])('a model that writes text needs it: %j', async (kinds) => {
    await addSupply(gateway)
    await gateway.ask('PUT /models/writer', { owned_by: 'us', kinds })
    const { body } = await gateway.ask('PUT /models/writer/routes/acme', {
      upstream_model: 'w',
      price: { image: '0.04' },
    })
    expect(body.error).toMatchObject({ param: 'price.input', message: 'price.input is required.' })
  })

  test('an invalid price is refused with a message', async () => {
    await addSupply(gateway)
    for (const input of ['-1', '1e3', '0.1234567891', '']) {
      const price = { input, output: '1' }
      const { body } = await gateway.ask('PUT /models/gpt-5/routes/acme', { ...ROUTE, price })
      expect(body.error.message).toBe(
        'price.input must be a decimal amount such as 1.25, not negative and with at most 9 decimals.',
      )
    }
  })
})
