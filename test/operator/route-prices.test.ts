import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { buildSnapshot } from '../../src/rules/catalog/build-snapshot.ts'
import { addSupply, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
  await addSupply(gateway)
})
afterEach(() => gateway.close())

const PRICE = {
  input: '1.25',
  output: '10',
  cache_read: '0.125',
  cache_write: '1.5625',
  image: '0',
  cache_write_1h: '2.5',
  reasoning: '12',
  audio_input: '40',
  request: '0.001',
  web_search: '0.01',
  images: [
    { size: '1024x1024', quality: 'high', price: '0.167' },
    { size: null, quality: null, price: '0.042' },
  ],
  variants: [
    { when: { prompt_above: 272_000 }, input: '2.5', output: '15' },
    { when: { prompt_part_above: 200_000 }, input: '3', cache_write_1h: '6' },
    {
      when: { tier: 'flex', hours: '16:30-00:30' },
      input: '0.6',
      images: [{ size: null, quality: null, price: '0.02' }],
    },
    { when: { from: '2027-01-01T00:00:00Z', until: '2028-01-01T00:00:00Z' }, output: '8' },
  ],
}
const COST = { ...PRICE, input: '1', variants: PRICE.variants.slice(0, 1) }

const put = (body: object, model = 'gpt-5') =>
  gateway.ask(`PUT /models/${model}/routes/acme`, { upstream_model: 'up', ...body })

const routeEvents = async () => {
  const { data } = (await gateway.ask('GET /audit')).body
  return data.filter(({ action }: { action: string }) => action.startsWith('route.'))
}

/** Reads the configuration as another node or the next process does. */
async function reload(): Promise<void> {
  gateway.configuration.replace(buildSnapshot(await gateway.storage.loadConfiguration()))
}

describe('a price with every kind of rate', () => {
  test('is put, echoed, stored and listed as it was sent, and so is the cost', async () => {
    const { status, body } = await put({ price: PRICE, cost: COST })
    expect([status, body.price, body.cost]).toEqual([200, PRICE, COST])
    await reload()
    const [listed] = (await gateway.ask('GET /routes')).body.data
    expect([listed.price, listed.cost]).toEqual([PRICE, COST])
  })

  test('is in the audit log with both states', async () => {
    await put({ price: { input: '1', output: '2' } })
    await put({ price: PRICE, cost: COST })
    const [event] = await routeEvents()
    expect(event).toMatchObject({
      action: 'route.changed',
      before: { cost: null },
      after: { price: PRICE, cost: COST },
    })
    expect(event.before.price.input).toBe('1')
  })

  test('leaves no event when it is put again, not even by a process that read it from the database', async () => {
    await put({ price: PRICE, cost: COST })
    const before = await routeEvents()
    await put({ price: PRICE, cost: COST })
    await reload()
    await put({ price: PRICE, cost: COST })
    expect(await routeEvents()).toEqual(before)
  })

  test('is the same with an empty list as without one', async () => {
    const price = { input: '1', output: '2' }
    await put({ price })
    const before = await routeEvents()
    const { body } = await put({ price: { ...price, images: [], variants: [] } })
    expect(body.price).not.toHaveProperty('variants')
    expect(await routeEvents()).toEqual(before)
  })
})

describe('a price that makes no sense is refused at its place', () => {
  const flex = { when: { tier: 'flex' }, input: '1' }
  const CASES: readonly (readonly [object, string])[] = [
    [{ variants: [flex, { when: { hours: '9-17' }, input: '1' }] }, 'variants[1].when.hours'],
    [{ variants: [{ when: { tier: 'turbo' }, input: '1' }] }, 'variants[0].when.tier'],
    [{ variants: [{ when: { from: '2027-01-01' }, input: '1' }] }, 'variants[0].when.from'],
    [{ variants: [{ when: { model: 'x' }, input: '1' }] }, 'variants[0].when.model'],
    [{ variants: [{ input: '1' }] }, 'variants[0].when'],
    [{ variants: [flex, { when: {}, input: '1' }] }, 'variants[1].when'],
    [{ variants: [{ when: { tier: 'fast' } }] }, 'variants[0]'],
    [{ variants: [{ when: { tier: 'fast' }, input: '-1' }] }, 'variants[0].input'],
    [{ variants: [{ when: { tier: 'fast' }, input: '1000001' }] }, 'variants[0].input'],
    [
      { variants: [{ when: { tier: 'fast' }, images: [{ price: '1000001' }] }] },
      'variants[0].images[0].price',
    ],
    [
      { variants: [{ when: { from: '2028-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' }, input: '1' }] },
      'variants[0].when.until',
    ],
    [
      { variants: [{ when: { prompt_above: 9, prompt_part_above: 9 }, input: '1' }] },
      'variants[0].when.prompt_part_above',
    ],
    [{ images: [{ price: '1' }, { price: '2' }] }, 'images[1]'],
    [{ images: [{ size: 'a' }] }, 'images[0].price'],
    [{ cache_write_30m: '1.0000000001' }, 'cache_write_30m'],
    [{ variants: Array(51).fill(flex) }, 'variants'],
  ]

  test.each(CASES)('%j', async (part, param) => {
    const rates = { input: '1', output: '2', ...part }
    for (const field of ['price', 'cost']) {
      const { status, body } = await put({ price: { input: '1', output: '2' }, [field]: rates })
      expect([status, body.error.param]).toEqual([400, `${field}.${param}`])
      expect(body.error.message).toContain(`${field}.${param}`)
    }
    expect(await routeEvents()).toHaveLength(1)
  })
})

describe('a supply file', () => {
  const yamlOf = (rates: object) =>
    JSON.stringify({
      models: [
        {
          id: 'gpt-5',
          owned_by: 'openai',
          routes: [{ supplier: 'acme', upstream_model: 'up', price: rates, cost: COST }],
        },
      ],
    })
  const apply = (rates: object) =>
    gateway.ask('POST /supply', { document: yamlOf(rates), name: 'supply.yaml' })
  const results = (body: { changes: { kind: string; result: string }[] }) =>
    body.changes.filter(({ kind }) => kind === 'route').map(({ result }) => result)

  test('with variants changes nothing when it is applied again', async () => {
    expect(results((await apply(PRICE)).body)).toEqual(['changed'])
    const [route] = (await gateway.ask('GET /routes')).body.data
    expect([route.price, route.cost]).toEqual([PRICE, COST])
    const before = (await gateway.ask('GET /audit')).body
    expect(results((await apply(PRICE)).body)).toEqual(['unchanged'])
    await reload()
    expect(results((await apply({ ...PRICE, input: '1.250' })).body)).toEqual(['unchanged'])
    expect((await gateway.ask('GET /audit')).body).toEqual(before)
  })

  test('with another rate in a variant changes the price', async () => {
    await apply(PRICE)
    const [first, ...others] = PRICE.variants
    const { changes } = (await apply({ ...PRICE, variants: [{ ...first, input: '2.6' }, ...others] })).body
    expect(changes.find(({ kind }: { kind: string }) => kind === 'route')).toMatchObject({
      result: 'changed',
      fields: ['price'],
    })
  })

  test('with a variant that makes no sense is refused at its place', async () => {
    const variants = [
      { when: { tier: 'flex' }, input: '1' },
      { when: { prompt_above: 9, prompt_part_above: 9 }, input: '1' },
    ]
    const { body } = await apply({ input: '1', output: '2', variants })
    expect(body.error.param).toBe('models[0].routes[0].price.variants[1].when.prompt_part_above')
    expect(body.error.message).toContain('cannot be combined with prompt_above; use one of them.')
    expect(body.error.message).toMatch(/supply\.yaml:1:\d+ /)
  })
})
