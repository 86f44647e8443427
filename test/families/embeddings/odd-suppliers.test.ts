import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import { base64Of } from '../../../src/conversation/families/embeddings.ts'
import { createKey } from '../../support/accounts.ts'
import { eventually } from '../../support/eventually.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { TEST_PRICE } from '../../support/supply.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import { openRichAccount } from './suppliers.ts'

/** A supplier that answers as a test says. */
interface OddSupplier {
  readonly url: string
  readonly bodies: Record<string, unknown>[]
  answer: (body: Record<string, unknown>) => Response
  stop(): Promise<void>
}

function startOddSupplier(): OddSupplier {
  const odd = {
    url: '',
    bodies: [],
    answer: () => Response.json({}),
    stop: () => server.stop(true),
  } as OddSupplier
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: async (request) => {
      const body = (await request.json()) as Record<string, unknown>
      odd.bodies.push(body)
      return odd.answer(body)
    },
  })
  return Object.assign(odd, { url: `http://127.0.0.1:${server.port}/v1` })
}

const ALONE = 'odd-alone'
const BACKED = 'odd-backed'

let gateway: TestGateway
let odd: OddSupplier
let key: { id: string; secret: string }

beforeAll(async () => {
  odd = startOddSupplier()
  gateway = await startTestGateway()
  const supplier = { type: 'openai-compatible', formats: ['embeddings'], enabled: true }
  await gateway.operator('PUT', '/suppliers/odd', { ...supplier, base_url: odd.url })
  await gateway.operator('POST', '/suppliers/odd/credentials', { secret: 'k' })
  for (const model of [ALONE, BACKED]) {
    await gateway.operator('PUT', `/models/${model}`, { owned_by: 'tests', kinds: ['embedding'] })
    const route = { price: TEST_PRICE, enabled: true }
    await gateway.operator('PUT', `/models/${model}/routes/odd`, {
      ...route,
      upstream_model: model,
      priority: 1,
    })
    if (model === ALONE) continue
    const sandbox = { ...route, upstream_model: 'sandbox-embedding', priority: 2 }
    await gateway.operator('PUT', `/models/${model}/routes/sandbox-openai`, sandbox)
  }
  key = await createKey(gateway, await openRichAccount(gateway))
})
afterAll(async () => {
  await gateway.stop()
  await odd.stop()
})
beforeEach(() => {
  odd.bodies.length = 0
})

const VECTORS = [
  [0.5, -0.25],
  [0.125, 1],
]
const entry = (embedding: unknown, index: number) => ({ object: 'embedding', index, embedding })
const USAGE = { prompt_tokens: 7, total_tokens: 7 }
const reply = (data: readonly unknown[], more: object = { usage: USAGE }) =>
  Response.json({ object: 'list', data, model: 'odd', ...more })

function ask(fields: object, model = ALONE, headers: Record<string, string> = {}) {
  return fetch(`${gateway.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, input: ['one', 'two'], ...fields }),
  })
}

const settlementOf = (response: Response) =>
  eventually('the settlement', async () => {
    const id = response.headers.get('x-request-id')
    return (await settlementsOf(gateway, key.id, 1)).find(({ request_id }) => request_id === id) ?? false
  })

describe('vectors that are written in another way than the client wants', () => {
  test('numbers become Base64, as official clients expect', async () => {
    odd.answer = () => reply(VECTORS.map(entry))
    const client = new OpenAI({ apiKey: key.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const { data, usage } = await client.embeddings.create({ model: ALONE, input: ['one', 'two'] })
    expect(odd.bodies).toEqual([{ model: ALONE, input: ['one', 'two'], encoding_format: 'base64' }])
    expect(data.map(({ embedding }) => [...embedding])).toEqual(VECTORS)
    expect(usage).toEqual(USAGE)
  })

  test('Base64 becomes numbers', async () => {
    odd.answer = () => reply(VECTORS.map(base64Of).map(entry))
    expect(await (await ask({})).json()).toEqual({
      object: 'list',
      data: VECTORS.map(entry),
      model: 'odd',
      usage: USAGE,
    })
  })

  test('in another order, each keeps its index', async () => {
    odd.answer = () => reply(VECTORS.map(entry).reverse())
    const { data } = (await (await ask({ encoding_format: 'base64' })).json()) as { data: unknown }
    expect(data).toEqual(VECTORS.map(base64Of).map(entry))
  })
})

test('unknown members reach a supplier of the same format', async () => {
  odd.answer = () => reply(VECTORS.map(entry))
  await ask({ truncate_prompt_tokens: 5, input_type: 'passage' })
  expect(odd.bodies[0]).toMatchObject({ truncate_prompt_tokens: 5, input_type: 'passage' })
})

test('without a report, the tokens are counted', async () => {
  odd.answer = () => reply(VECTORS.map(entry), {})
  const response = await ask({ input: ['one word', 'and three more'] })
  expect(response.status).toBe(200)
  expect(await settlementOf(response)).toMatchObject({
    usage: { input: 5, output: 0 },
    provenance: 'counted',
  })
})

describe('dimensions', () => {
  const wrong = () => reply(VECTORS.map(entry))

  test('that the supplier ignores are an error where no other can serve', async () => {
    odd.answer = wrong
    const first = await ask({ dimensions: 8 })
    const { error } = (await first.json()) as { error: { message: string; param: string } }
    expect([first.status, error.param]).toEqual([400, 'dimensions'])
    expect(error.message).toContain('2 dimensions instead of 8')
    // It is remembered, and not asked again.
    const second = await ask({ dimensions: 8 })
    expect([second.status, odd.bodies.length]).toEqual([400, 1])
    expect((await ask({ dimensions: 2 })).status).toBe(200)
  })

  test('are then taken from another supplier', async () => {
    odd.answer = wrong
    for (const calls of [1, 1]) {
      const response = await ask({ dimensions: 16 }, BACKED)
      const { data } = (await response.json()) as { data: { embedding: number[] }[] }
      expect(data.map(({ embedding }) => embedding.length)).toEqual([16, 16])
      expect(odd.bodies).toHaveLength(calls)
    }
  })
})

describe('a reply that is none', () => {
  test.each([
    ['too few vectors', () => reply([entry(VECTORS[0], 0)])],
    ['an index twice', () => reply([entry(VECTORS[0], 0), entry(VECTORS[1], 0)])],
    ['text instead of a vector', () => reply([entry(VECTORS[0], 0), entry('nonsense!', 1)])],
    ['no list', () => Response.json({ ok: true })],
  ])('is replaced by that of another supplier: %s', async (_name, answer) => {
    odd.answer = answer
    const response = await ask({}, BACKED)
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, 'sandbox-openai'])
  })
})

test('a parameter that the supplier refuses is left out, named and remembered', async () => {
  odd.answer = (body) =>
    'user' in body
      ? Response.json({ error: { message: "Unknown parameter: 'user'.", param: 'user' } }, { status: 400 })
      : reply(VECTORS.map(entry))
  for (const calls of [2, 3]) {
    const response = await ask({ user: 'u' })
    expect([response.status, response.headers.get('x-gateway-dropped-params')]).toEqual([200, 'user'])
    expect(odd.bodies).toHaveLength(calls)
  }
  expect((await ask({ user: 'u' }, ALONE, { 'x-gateway-strict': 'true' })).status).toBe(400)
})
