import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AT_PRICE, NO_SESSION, type Settlement } from '../../src/vocabulary/settlement.ts'
import { addAccount, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
  const at = (base_url: string) => ({ type: 'openai-compatible', base_url, formats: ['chat-completion'] })
  await gateway.ask('PUT /suppliers/groq', at('https://api.groq.com/openai/v1'))
  await gateway.ask('PUT /suppliers/xai', at('https://api.x.ai/v1'))
  await gateway.ask('PUT /suppliers/own', at('https://models.example/v1'))
})
afterEach(() => gateway.close())

interface Priced {
  readonly price?: object | null
  readonly price_source?: string
  readonly cost?: object
}

async function addRoute(name: string, upstream: string, money: Priced = {}): Promise<void> {
  const [model = '', supplier = ''] = name.split('@')
  await gateway.ask(`PUT /models/${model}`, { owned_by: 'somebody' })
  const put = await gateway.ask(`PUT /models/${model}/routes/${supplier}`, {
    upstream_model: upstream,
    price: { input: '9', output: '9' },
    ...money,
  })
  expect(put.status).toBe(200)
}

const LLAMA = 'llama-3.3-70b-versatile'

async function diff(month = '2026-05') {
  const { status, body } = await gateway.ask(`GET /prices/diff?month=${month}`)
  expect(status).toBe(200)
  return body
}

async function difference(model: string) {
  const { data } = await diff()
  return data.find((each: { model: string; state: string }) => each.model === model)
}

async function routeOf(model: string) {
  const { data } = (await gateway.ask('GET /routes')).body
  return data.find((route: { model: string }) => route.model === model)
}

describe('turnpike prices diff', () => {
  test('tells what each route costs, and what the catalog says', async () => {
    await addRoute('llama@groq', LLAMA)
    await addRoute('same@groq', LLAMA, { price: { input: '0.59', output: '0.79' } })
    await addRoute('bare@groq', LLAMA, { price: null })
    await addRoute('odd@groq', 'no-such-model')
    await addRoute('strange@own', LLAMA)
    const { data, list_version } = await diff()
    expect(list_version).toMatch(/^\d+\.\d+\.\d+$/)
    const states = Object.fromEntries(
      data
        .filter(({ state }: { state: string }) => state !== 'new')
        .map(({ model, state }: { model: string; state: string }) => [model, state]),
    )
    expect(states).toEqual({
      llama: 'changed',
      same: 'same',
      bare: 'unpriced',
      odd: 'missing',
      strange: 'missing',
    })
    const changed = data.find(({ model }: { model: string }) => model === 'llama')
    expect(changed).toMatchObject({
      supplier: 'groq',
      upstream_model: LLAMA,
      price_source: 'manual',
      present_price: { input: '9', output: '9' },
      catalog: {
        price: { input: '0.59', output: '0.79' },
        source: 'genai-prices',
        listed_as: `groq:${LLAMA}`,
        left_out: [],
      },
      bill: null,
    })
  })

  test('prefers the built-in catalog, and lists what it offers and no route has', async () => {
    await addRoute('grok@xai', 'grok-4.6')
    const { data } = await diff()
    const ofVendor = data.filter(({ supplier }: { supplier: string }) => supplier === 'xai')
    expect(
      ofVendor.map(({ model, state, catalog }: { model: string; state: string; catalog: object }) => {
        return { model, state, ...catalog }
      }),
    ).toMatchObject([
      { model: 'grok', state: 'changed', source: 'built-in', listed_as: 'xai:grok-4.6' },
      { model: 'grok-4.5', state: 'new', source: 'built-in' },
      { model: 'grok-4.7', state: 'new', source: 'built-in' },
    ])
  })

  test("leaves out an account's own suppliers, for which nobody pays", async () => {
    const account_id = await addAccount(gateway)
    const own = { type: 'openai-compatible', base_url: 'https://api.groq.com/openai/v1', source: 'byok' }
    await gateway.ask('PUT /suppliers/mine', { ...own, formats: ['chat-completion'], account_id })
    await addRoute('llama@mine', LLAMA)
    expect(await difference('llama')).toBeUndefined()
  })

  test('takes the last whole month when none is named, and refuses a month that is none', async () => {
    const { body } = await gateway.ask('GET /prices/diff')
    expect([body.from, body.to]).toEqual(['2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'])
    expect((await gateway.ask('GET /prices/diff?month=2026-13')).status).toBe(400)
  })
})

describe('what a change does to the bill of a month', () => {
  const MAY_20_MS = Date.parse('2026-05-20T12:00:00Z')

  async function settle(change: Partial<Settlement>): Promise<void> {
    const account = await addAccount(gateway)
    const price = {
      inputNanoPerMillion: 1_000_000_000n,
      outputNanoPerMillion: 2_000_000_000n,
      cacheReadNanoPerMillion: 1_000_000_000n,
      cacheWriteNanoPerMillion: 1_000_000_000n,
      imageNano: 0n,
    }
    const key = (await gateway.ask(`POST /accounts/${account}/keys`, { name: 'k' })).body
    await gateway.storage.writeSettlements([
      {
        requestId: `req_${account}`,
        accountId: account,
        keyId: key.id,
        model: 'grok',
        supplier: 'xai',
        credentialId: null,
        clientFormat: 'chat-completion',
        supplierFormat: 'chat-completion',
        stream: false,
        usage: { input: 100_000, cacheRead: 0, cacheWrite: 0, output: 1_000, reasoning: 0, images: 0 },
        provenance: 'supplier',
        price,
        amountNano: 102_000_000n,
        costNano: 102_000_000n,
        ...AT_PRICE,
        ...NO_SESSION,
        outcome: 'completed',
        attempts: [],
        startedAtMs: MAY_20_MS,
        firstByteMs: 40,
        durationMs: 900,
        ...change,
      },
    ])
  }

  const LONG = { input: 250_000, cacheRead: 0, cacheWrite: 0, output: 1_000, reasoning: 0, images: 0 }

  test('each request is priced again, by its own prompt and with its own mark-up', async () => {
    await addRoute('grok@xai', 'grok-4.6', { price: { input: '1', output: '2' } })
    await settle({})
    await settle({ usage: LONG })
    await settle({ markupBasisPoints: 1_000 })
    await settle({ startedAtMs: Date.parse('2026-06-01T00:00:00Z') })
    // At the catalog's price 0.206, with the mark-up 0.2266, and with more than 200,000 tokens 1.012.
    expect((await difference('grok')).bill).toEqual({
      requests: 3,
      basis: 'settlements',
      charged: '0.306',
      present_amount: '0.4662',
      catalog_amount: '1.4446',
      present_cost: '0.456',
      catalog_cost: '1.424',
    })
  })

  test('a cost of its own stays what the supplier charges', async () => {
    const cost = { input: '0.5', output: '1' }
    await addRoute('grok@xai', 'grok-4.6', { price: { input: '1', output: '2' }, cost })
    await settle({})
    expect((await difference('grok')).bill).toMatchObject({
      present_amount: '0.102',
      catalog_amount: '0.206',
      present_cost: '0.051',
      catalog_cost: '0.051',
    })
  })

  test('a request that cost nothing costs nothing at another price', async () => {
    await addRoute('grok@xai', 'grok-4.6', { price: { input: '1', output: '2' } })
    await settle({ price: null, amountNano: 0n, costNano: 0n })
    expect((await difference('grok')).bill).toMatchObject({ requests: 1, catalog_amount: '0' })
  })

  test('days whose settlements are gone are priced by their totals', async () => {
    await addRoute('grok@xai', 'grok-4.6', { price: { input: '1', output: '2' } })
    await settle({ usage: LONG, startedAtMs: Date.parse('2026-05-02T12:00:00Z') })
    await settle({})
    await gateway.storage.moveHorizon(Date.parse('2026-05-10T00:00:00Z'), {
      id: 'aud_1',
      atMs: MAY_20_MS,
      actor: 'scheduler',
      action: 'settlements.deleted',
      subject: 'settlements',
      before: null,
      after: null,
    })
    expect(await gateway.storage.carrySettlements(10)).toBe(1)
    expect((await difference('grok')).bill).toMatchObject({
      requests: 2,
      basis: 'both',
      present_amount: '0.354',
      // The sum of a day does not tell that a prompt was long.
      catalog_amount: '0.712',
    })
  })
})

describe('turnpike prices apply', () => {
  const FOLLOWER = { price_source: 'catalog' }

  test('changes the routes that follow the catalog, each with its audit event', async () => {
    await addRoute('follower@groq', LLAMA, FOLLOWER)
    await addRoute('manual@groq', LLAMA)
    await addRoute('unknown@groq', 'no-such-model', FOLLOWER)
    const planned = await gateway.ask('POST /prices/apply', { dry_run: true })
    expect(planned.body.changes).toMatchObject([
      {
        model: 'follower',
        supplier: 'groq',
        before: { input: '9' },
        after: { input: '0.59' },
        source: 'genai-prices',
      },
    ])
    expect((await routeOf('follower')).price.input).toBe('9')
    const applied = await gateway.ask('POST /prices/apply', {})
    expect(applied.body).toEqual({ ...planned.body, dry_run: false })
    expect(await routeOf('follower')).toMatchObject({
      upstream_model: LLAMA,
      price_source: 'catalog',
      price: { input: '0.59', output: '0.79' },
    })
    expect((await routeOf('manual')).price.input).toBe('9')
    const [event] = (await gateway.ask('GET /audit')).body.data
    expect(event).toMatchObject({ action: 'route.changed', subject: 'follower/routes/groq' })
    expect((await gateway.ask('POST /prices/apply', {})).body.changes).toEqual([])
  })

  test('prices a route without a price', async () => {
    await addRoute('bare@groq', LLAMA, { ...FOLLOWER, price: null })
    await gateway.ask('POST /prices/apply', {})
    expect((await routeOf('bare')).price.input).toBe('0.59')
  })

  test('changes a named route whatever its source, which stays unless it is to follow', async () => {
    await addRoute('manual@groq', LLAMA)
    const routes = [{ model: 'manual', supplier: 'groq' }]
    await gateway.ask('POST /prices/apply', { routes })
    expect(await routeOf('manual')).toMatchObject({ price_source: 'manual', price: { input: '0.59' } })
    await gateway.ask('POST /prices/apply', { routes, follow: true })
    expect(await routeOf('manual')).toMatchObject({ price_source: 'catalog', price: { input: '0.59' } })
  })

  test('refuses as a whole what it cannot do', async () => {
    await addRoute('manual@groq', LLAMA)
    await addRoute('unknown@groq', 'no-such-model')
    const both = [
      { model: 'manual', supplier: 'groq' },
      { model: 'unknown', supplier: 'groq' },
    ]
    const refused = await gateway.ask('POST /prices/apply', { routes: both })
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'The catalog has no price of "no-such-model" at "groq".',
    ])
    expect((await routeOf('manual')).price.input).toBe('9')
    const absent = await gateway.ask('POST /prices/apply', { routes: [{ model: 'manual', supplier: 'xai' }] })
    expect(absent.status).toBe(404)
    expect((await gateway.ask('POST /prices/apply', { follow: true })).status).toBe(400)
  })
})

describe('turnpike prices schedule', () => {
  const JULY = '2026-07-01T00:00:00Z'
  const ROUTE = { model: 'llama', supplier: 'groq' }
  beforeEach(() => addRoute('llama@groq', LLAMA, { price: { input: '9', output: '9', web_search: '0.01' } }))

  const schedule = (change: object) =>
    gateway.ask('POST /prices/schedule', { ...ROUTE, from: JULY, ...change })

  test('adds what differs from that time on', async () => {
    const { status, body } = await schedule({ price: { input: '9', output: '12', web_search: '0.01' } })
    expect([status, body.price.variants]).toEqual([200, [{ when: { from: JULY }, output: '12' }]])
    expect((await routeOf('llama')).price).toEqual(body.price)
    const [event] = (await gateway.ask('GET /audit')).body.data
    expect(event).toMatchObject({ action: 'route.changed', subject: 'llama/routes/groq' })
  })

  test("takes the catalog's price, in which a web search is free", async () => {
    const { body } = await schedule({})
    expect(body.price.variants).toEqual([
      {
        when: { from: JULY },
        input: '0.59',
        output: '0.79',
        cache_read: '0.59',
        cache_write: '0.59',
        web_search: '0',
      },
    ])
    gateway.clock.timeMs = Date.parse('2026-07-02T00:00:00Z')
    const after = await difference('llama')
    expect(after.catalog.price.input).toBe('0.59')
  })

  test('replaces what was scheduled for the same time, and refuses what is past or comes before another', async () => {
    await schedule({ price: { input: '9', output: '12' } })
    const again = await schedule({ price: { input: '9', output: '13', web_search: '0.01' } })
    expect(again.body.price.variants).toEqual([{ when: { from: JULY }, output: '13' }])
    for (const from of ['2026-06-15T00:00:00Z', '2026-05-01T00:00:00Z']) {
      expect((await schedule({ from, price: { input: '1', output: '1' } })).status).toBe(400)
    }
  })

  test('refuses a route without a price, and a price that no text model has', async () => {
    await addRoute('bare@groq', LLAMA, { price: null })
    expect((await schedule({ model: 'bare', price: { input: '1', output: '1' } })).status).toBe(400)
    expect((await schedule({ price: { output: '1' } })).body.error.param).toBe('price.input')
  })
})
