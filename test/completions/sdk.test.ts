import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { APIError } from 'openai'
import { createKeyFor, supplyByFormat, TEXT_FORMATS } from '../captures/suppliers-by-format.ts'
import { createKey, openAccount } from '../support/accounts.ts'
import type { Fault } from '../support/faults.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { TEST_PRICE } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  await supplyByFormat(gateway, { models: ['chatty'], upstreamModel: 'sandbox-chat' })
  const supplier = {
    type: 'sandbox',
    base_url: gateway.sandbox.url,
    formats: ['completions', 'chat-completion'],
  }
  await gateway.operator('PUT', '/suppliers/speaks-completions', supplier)
  const secret = { secret: 'sk-sandbox-test' }
  await gateway.operator('POST', '/suppliers/speaks-completions/credentials', secret)
  const route = { upstream_model: 'sandbox-completion', price: TEST_PRICE }
  await gateway.operator('PUT', '/models/base', { owned_by: 'tests', capabilities: { completions: true } })
  await gateway.operator('PUT', '/models/base/routes/speaks-completions', route)
  // The same supplier, for a model of which nothing is known.
  await gateway.operator('PUT', '/models/plain', { owned_by: 'tests' })
  await gateway.operator('PUT', '/models/plain/routes/speaks-completions', route)
})
afterAll(() => gateway.stop())

function clientWith(apiKey: string, headers: Record<string, string> = {}) {
  return new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders: headers })
}

async function clientOf(body: Readonly<Record<string, unknown>> = {}) {
  const key = await createKey(gateway, await openAccount(gateway), body)
  return { client: clientWith(key.secret), key }
}

async function collect(stream: AsyncIterable<OpenAI.Completion>) {
  const chunks = await Array.fromAsync(stream)
  const texts: string[] = []
  const reasons: (string | null)[] = []
  for (const { index, text, finish_reason } of chunks.flatMap(({ choices }) => choices)) {
    texts[index] = (texts[index] ?? '') + text
    reasons[index] = finish_reason ?? reasons[index] ?? null
  }
  return { chunks, texts, reasons, usage: chunks.at(-1)?.usage ?? null }
}

const lastBody = () => gateway.sandbox.calls.at(-1)?.body as Record<string, unknown>
const lastPath = () => gateway.sandbox.calls.at(-1)?.path

describe.each(TEXT_FORMATS)('translated to %s', (format) => {
  let client: OpenAI
  let keyId: string
  beforeAll(async () => {
    const key = await createKeyFor(gateway, format)
    client = clientWith(key.secret)
    keyId = key.id
  })

  test('a whole completion', async () => {
    const reply = await client.completions.create({
      model: 'chatty',
      prompt: 'say: Once upon',
      max_tokens: 50,
    })
    expect(reply).toMatchObject({
      object: 'text_completion',
      model: 'chatty',
      choices: [{ text: 'Once upon', index: 0, finish_reason: 'stop', logprobs: null }],
    })
    expect(reply.id).toStartWith('cmpl-')
    const [settled] = await settlementsOf(gateway, keyId, 1)
    expect(reply.usage?.completion_tokens).toBe(settled?.usage.output)
  })

  test('a stream with usage, cut at 16 tokens when no limit is set', async () => {
    const stream = await client.completions.create({
      model: 'chatty',
      prompt: `say: ${'word '.repeat(60)}`,
      stream: true,
      stream_options: { include_usage: true },
    })
    const { texts, reasons, usage } = await collect(stream)
    expect(reasons).toEqual(['length'])
    expect(texts[0]?.length).toBe(64)
    expect(usage?.completion_tokens).toBe(16)
  })

  test('a stream without usage', async () => {
    const stream = await client.completions.create({ model: 'chatty', prompt: 'say: Hi', stream: true })
    const { texts, chunks } = await collect(stream)
    expect(texts).toEqual(['Hi'])
    expect(chunks.every(({ usage }) => usage === undefined)).toBe(true)
  })

  test.each([false, true])('several prompts with several choices each; as a stream: %p', async (stream) => {
    const asked = {
      model: 'chatty',
      prompt: ['say: one', 'say: two', 'say: three'],
      n: 2,
      echo: true,
    }
    const { texts, reasons } = stream
      ? await collect(await client.completions.create({ ...asked, stream }))
      : await client.completions.create(asked).then(({ choices }) => ({
          texts: choices.map(({ text }) => text),
          reasons: choices.map(({ finish_reason }) => finish_reason),
        }))
    expect(texts).toEqual([
      'say: oneone',
      'say: oneone',
      'say: twotwo',
      'say: twotwo',
      'say: threethree',
      'say: threethree',
    ])
    expect(new Set(reasons)).toEqual(new Set(['stop']))
  })

  test('an echo in a stream comes first', async () => {
    const asked = { model: 'chatty', prompt: 'say: Hi', echo: true, stream: true } as const
    const { texts } = await collect(await client.completions.create(asked))
    expect(texts).toEqual(['say: HiHi'])
  })

  test('what a conversation has no place for is named', async () => {
    const { response } = await client.completions
      .create({ model: 'chatty', prompt: 'say: Hi', logprobs: 2, best_of: 3, logit_bias: { 50256: -100 } })
      .withResponse()
    expect(response.headers.get('x-gateway-dropped-params')?.split(', ').toSorted()).toEqual([
      'best_of',
      'logit_bias',
      'logprobs',
    ])
  })

  test('a strict client is refused instead', async () => {
    const request = client.completions.create(
      { model: 'chatty', prompt: 'say: Hi', logprobs: 2 },
      { headers: { 'x-gateway-strict': 'true' } },
    )
    expect(await request.catch((error: unknown) => error)).toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param: 'logprobs',
    })
  })

  test.each([
    ['prompt', { prompt: [1, 2, 3] }],
    ['prompt', { prompt: [[1], [2]] }],
    ['suffix', { prompt: 'Hi', suffix: 'there' }],
    ['max_tokens', { prompt: 'Hi', max_tokens: 0, echo: true }],
  ])('%s that would mean something else is refused', async (param, fields) => {
    const error = await client.completions.create({ model: 'chatty', ...fields }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param })
    expect(error.message).toContain('"completions" in gateway.protocols')
  })
})

test('more calls than one request may become are refused', async () => {
  const { client } = await clientOf()
  const request = client.completions.create({
    model: 'chatty',
    prompt: Array.from({ length: 129 }, () => 'Hi'),
  })
  expect(await request.catch((error: unknown) => error)).toMatchObject({ status: 400, param: 'prompt' })
})

test('a prompt of tokens goes only to suppliers that can read it', async () => {
  await gateway.operator('PUT', '/models/mixed', { owned_by: 'tests', capabilities: { completions: true } })
  for (const [priority, supplier, upstream_model] of [
    [1, 'speaks-messages', 'sandbox-chat'],
    [2, 'speaks-completions', 'sandbox-completion'],
  ] as const) {
    const route = { upstream_model, price: TEST_PRICE, priority }
    await gateway.operator('PUT', `/models/mixed/routes/${supplier}`, route)
  }
  const { client } = await clientOf()
  const routeOf = async (prompt: string | number[]) => {
    const { response } = await client.completions.create({ model: 'mixed', prompt }).withResponse()
    return response.headers.get('x-gateway-route')
  }
  expect(await routeOf('say: Hi')).toBe('speaks-messages')
  expect(await routeOf([1, 2, 3])).toBe('speaks-completions')
})

describe('relayed to a supplier of the same format', () => {
  test('a request goes out with everything the client said', async () => {
    const { client, key } = await clientOf()
    const asked = {
      model: 'base',
      prompt: ['say: one', 'say: two'],
      suffix: 'end',
      echo: true,
      logprobs: 1,
      best_of: 2,
      n: 2,
      max_tokens: 9,
      seed: 3,
      user: 'u',
    }
    const reply = await client.completions.create(asked)
    expect(lastPath()).toBe('/v1/completions')
    expect(lastBody()).toEqual({ ...asked, model: 'sandbox-completion' })
    expect(reply.choices.map(({ text }) => text)).toEqual([
      'say: oneone',
      'say: oneone',
      'say: twotwo',
      'say: twotwo',
    ])
    expect(reply.choices[0]?.logprobs?.tokens?.join('')).toBe('say: oneone')
    const settled = await onlySettlementOf(gateway, key.id)
    expect(settled).toMatchObject({ outcome: 'completed', provenance: 'supplier' })
    expect(settled.usage.output).toBe(reply.usage?.completion_tokens ?? 0)
  })

  test('tokens are relayed', async () => {
    const { client } = await clientOf()
    const reply = await client.completions.create({ model: 'base', prompt: [[1, 2], [3]], max_tokens: 40 })
    expect(lastBody().prompt).toEqual([[1, 2], [3]])
    expect(reply.choices).toHaveLength(2)
  })

  test('a stream is metered and ends, without the usage that the client did not ask for', async () => {
    const { client, key } = await clientOf()
    const stream = await client.completions.create({ model: 'base', prompt: 'say: Hi there', stream: true })
    const { texts, chunks, reasons } = await collect(stream)
    expect(lastBody()).toMatchObject({ max_tokens: 16, stream_options: { include_usage: true } })
    expect([texts, reasons]).toEqual([['Hi there'], ['stop']])
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true)
    const settled = await onlySettlementOf(gateway, key.id)
    expect(settled).toMatchObject({ outcome: 'completed', provenance: 'supplier', usage: { output: 2 } })
  })

  test('usage arrives when it is wanted', async () => {
    const { client } = await clientOf()
    const asked = {
      model: 'base',
      prompt: 'say: Hi',
      stream: true,
      stream_options: { include_usage: true },
    } as const
    const { usage } = await collect(await client.completions.create(asked))
    expect(usage?.total_tokens).toBeGreaterThan(0)
  })

  test('a model of which nothing is known is asked as in a conversation', async () => {
    const { client } = await clientOf()
    const reply = await client.completions.create({ model: 'plain', prompt: 'say: Hi' })
    expect(lastPath()).toBe('/v1/chat/completions')
    expect(reply.choices[0]?.text).toBe('Hi')
  })

  test('a failure in mid-stream reaches the client as an error', async () => {
    const { client, key } = await clientOf()
    gateway.sandbox.faults.set({
      model: 'sandbox-completion',
      fault: { type: 'error-in-stream', afterPieces: 2 },
      times: 1,
    })
    const read = async () => {
      const asked = {
        model: 'base',
        prompt: `say: ${'word '.repeat(9)}`,
        max_tokens: 90,
        stream: true,
      } as const
      return Array.fromAsync(await client.completions.create(asked))
    }
    expect(await read().catch((thrown: unknown) => thrown)).toBeInstanceOf(APIError)
    const settled = await onlySettlementOf(gateway, key.id)
    expect(settled.outcome).toBe('supplier_failed')
  })

  test('a client that leaves is charged for what it got', async () => {
    const { client, key } = await clientOf()
    gateway.sandbox.faults.set({
      model: 'sandbox-completion',
      fault: { type: 'latency', beforeFirstByteMs: 0, betweenPiecesMs: 20 },
      times: 1,
    })
    const stream = await client.completions.create({
      model: 'base',
      prompt: `say: ${'word '.repeat(90)}`,
      max_tokens: 900,
      stream: true,
    })
    for await (const _chunk of stream) break
    const settled = await onlySettlementOf(gateway, key.id)
    expect(settled.outcome).toBe('client_left')
    expect(settled.usage.output).toBeGreaterThan(0)
  })
})

describe('a supplier of the same format that', () => {
  const LONG = { model: 'base', prompt: `say: ${'word '.repeat(30)}`, max_tokens: 300 } as const
  const strike = (fault: Fault) =>
    gateway.sandbox.faults.set({ model: 'sandbox-completion', fault, times: 1 })

  test('answers a request for a stream with a whole reply, echo included', async () => {
    const { client } = await clientOf()
    strike({ type: 'plain-json' })
    const asked = { ...LONG, prompt: 'say: Hi', echo: true, stream: true } as const
    const { texts, reasons } = await collect(await client.completions.create(asked))
    expect([texts, reasons]).toEqual([['say: HiHi'], ['stop']])
  })

  test('never ends its stream has failed', async () => {
    const { client, key } = await clientOf()
    strike({ type: 'cut', afterPieces: 3 })
    const read = async () => Array.fromAsync(await client.completions.create({ ...LONG, stream: true }))
    expect(await read().catch((thrown: unknown) => thrown)).toBeInstanceOf(Error)
    expect((await onlySettlementOf(gateway, key.id)).outcome).toBe('supplier_failed')
  })

  test.each([false, true])('reports no usage is charged by our count; as a stream: %p', async (stream) => {
    const { client, key } = await clientOf()
    strike({ type: 'missing-usage' })
    const reply = await client.completions.create({ ...LONG, stream })
    if (Symbol.asyncIterator in reply) await Array.fromAsync(reply)
    const settled = await onlySettlementOf(gateway, key.id)
    expect(settled.provenance).toBe('counted')
    expect(settled.usage.output).toBeGreaterThan(20)
  })
})

describe('an account whose money ends', () => {
  const LONG = { model: 'base', prompt: `say: ${'word '.repeat(300)}`, max_tokens: 3000 } as const
  // Enough for the prompt and for some of the answer.
  const CREDIT = '0.001'

  test('gets as much of a stream as it can pay', async () => {
    const key = await createKey(gateway, await openAccount(gateway, CREDIT))
    const { texts, reasons } = await collect(
      await clientWith(key.secret).completions.create({ ...LONG, stream: true }),
    )
    expect(reasons).toEqual(['length'])
    expect(texts[0]?.length).toBeGreaterThan(0)
    expect(texts[0]?.length).toBeLessThan(1500)
    const settled = await onlySettlementOf(gateway, key.id)
    expect(Number(settled.amount)).toBeLessThanOrEqual(Number(CREDIT))
  })

  test('gets a shorter whole reply', async () => {
    const key = await createKey(gateway, await openAccount(gateway, CREDIT))
    const { data, response } = await clientWith(key.secret).completions.create(LONG).withResponse()
    expect(data.choices[0]?.finish_reason).toBe('length')
    expect(response.headers.get('x-gateway-capped-params')).toContain('max_tokens')
  })

  test('is refused where the answer could not be shortened', async () => {
    const key = await createKey(gateway, await openAccount(gateway, CREDIT))
    const request = clientWith(key.secret).completions.create({ ...LONG, echo: true, stream: true })
    expect(await request.catch((error: unknown) => error)).toMatchObject({
      status: 403,
      code: 'spending_limit_exceeded',
    })
  })
})

test('the model list says which models take completions natively', async () => {
  const { client } = await clientOf()
  const protocolsOf = async (id: string) =>
    ((await client.models.retrieve(id)) as unknown as { gateway: { protocols: string[] } }).gateway.protocols
  expect(await protocolsOf('base')).toEqual(['chat-completion', 'completions'])
  expect(await protocolsOf('plain')).toEqual(['chat-completion'])
})

test.each([
  ['prompt', { prompt: [] }],
  ['prompt', { prompt: [1, 'a'] }],
  ['best_of', { prompt: 'Hi', n: 3, best_of: 2 }],
  ['max_tokens', { prompt: 'Hi', max_tokens: -1 }],
  ['model', { prompt: 'Hi', model: 'sandbox-image' }],
])('an invalid %s is refused', async (param, fields) => {
  const { client } = await clientOf()
  const request = client.completions.create({
    model: 'base',
    ...(fields as object),
    prompt: fields.prompt as string,
  })
  const error = await request.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, code: 'invalid_request' })
  expect((error as APIError).param).toStartWith(param)
})
