import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { GENAI_SDKS } from './drivers/content-generation.ts'
import { ANTHROPIC_SDKS } from './drivers/messages.ts'
import { askRaw } from './raw-calls.ts'
import { openStage, type Stage } from './stage.ts'
import type { TextFormat } from './talk.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.stop())

interface Loss {
  readonly client: TextFormat
  readonly supplier: TextFormat
  readonly fields: object
  /** Names in the header, in any order. */
  readonly dropped: readonly string[]
}

const LOSSES: readonly Loss[] = [
  {
    client: 'chat-completion',
    supplier: 'messages',
    fields: { seed: 7, presence_penalty: 0.5, logit_bias: { '1': 1 }, temperature: 0.3 },
    dropped: ['seed', 'presence_penalty', 'logit_bias', 'temperature'],
  },
  {
    client: 'chat-completion',
    supplier: 'responses',
    fields: { seed: 7, frequency_penalty: 0.5, top_k: 3, temperature: 0.3 },
    dropped: ['seed', 'frequency_penalty', 'top_k'],
  },
  {
    client: 'chat-completion',
    supplier: 'content-generation',
    fields: { logit_bias: { '1': 1 }, verbosity: 'low', seed: 7, temperature: 0.3 },
    dropped: ['logit_bias', 'verbosity'],
  },
  {
    client: 'messages',
    supplier: 'chat-completion',
    fields: { top_k: 3, temperature: 0.3, stop_sequences: ['x'] },
    dropped: ['top_k'],
  },
  {
    client: 'responses',
    supplier: 'messages',
    fields: { metadata: { job: '1' }, truncation: 'auto', temperature: 1 },
    dropped: ['metadata', 'truncation'],
  },
  {
    client: 'content-generation',
    supplier: 'messages',
    fields: { generationConfig: { seed: 7, maxOutputTokens: 50 }, labels: { job: '1' } },
    dropped: ['seed', 'labels'],
  },
]

describe.each(LOSSES)('$client to $supplier', ({ client, supplier, fields, dropped }) => {
  const ask = (more: object, strict = false) =>
    askRaw({
      url: stage.gateway.url,
      key: stage.keyFor(supplier),
      client,
      text: 'ping',
      fields: more,
      ...(strict && { headers: { 'x-gateway-strict': 'true' } }),
    })

  test('names what was left out, and nothing else', async () => {
    const response = await ask(fields)
    expect(response.status).toBe(200)
    const header = response.headers.get('x-gateway-dropped-params')?.split(', ').sort()
    expect(header).toEqual([...dropped].sort())
    expect((await ask({})).headers.has('x-gateway-dropped-params')).toBe(false)
  })

  test('refuses instead of dropping parameters when strict', async () => {
    const refused = await ask(fields, true)
    expect(refused.status).toBe(400)
    const { error } = (await refused.json()) as { error: { code: string; param: string; message: string } }
    expect(error.code).toBe('unsupported_parameter')
    expect(dropped).toContain(error.param)
    for (const name of dropped) expect(error.message).toContain(name)
    expect((await ask({}, true)).status).toBe(200)
  })
})

test('a supplier of the same format gets everything unchanged, strict or not', async () => {
  const fields = { seed: 7, logit_bias: { '1': 1 }, top_k: 3 }
  const response = await askRaw({
    url: stage.gateway.url,
    key: stage.keyFor('chat-completion'),
    client: 'chat-completion',
    text: 'ping',
    fields,
    headers: { 'x-gateway-strict': 'true' },
  })
  expect(response.status).toBe(200)
  expect(response.headers.has('x-gateway-dropped-params')).toBe(false)
  expect(stage.gateway.sandbox.calls.at(-1)?.body).toMatchObject(fields)
})

describe('the refusal of a strict request', () => {
  const strict = { 'x-gateway-strict': 'true' }

  test.each(OPENAI_SDKS)('is a BadRequestError in %s', async (_sdk, Sdk, connect) => {
    const client = connect({
      apiKey: stage.keyFor('messages'),
      baseURL: `${stage.gateway.url}/v1`,
      maxRetries: 0,
    })
    const request = { model: 'sandbox-chat', messages: [{ role: 'user' as const, content: 'ping' }], seed: 7 }
    const thrown = await failureOf(client.chat.completions.create(request, { headers: strict }))
    expect(thrown).toBeInstanceOf(Sdk.BadRequestError)
    expect(thrown).toMatchObject({ code: 'unsupported_parameter', param: 'seed' })
  })

  test.each(ANTHROPIC_SDKS)('is a BadRequestError in %s', async (_sdk, Sdk, connect) => {
    const client = connect({
      apiKey: stage.keyFor('chat-completion'),
      baseURL: stage.gateway.url,
      maxRetries: 0,
    })
    const request = { model: 'sandbox-chat', max_tokens: 9, top_k: 3 }
    const messages = [{ role: 'user' as const, content: 'ping' }]
    const thrown = await failureOf(client.messages.create({ ...request, messages }, { headers: strict }))
    expect(thrown).toBeInstanceOf(Sdk.BadRequestError)
    expect(thrown).toMatchObject({ type: 'unsupported_parameter' })
  })

  test.each(GENAI_SDKS)('is an error with its status in %s', async (_sdk, connect) => {
    const httpOptions = { baseUrl: stage.gateway.url, headers: strict }
    const client = connect({ apiKey: stage.keyFor('messages'), httpOptions })
    const thrown = await failureOf(
      client.models.generateContent({ model: 'sandbox-chat', contents: 'ping', config: { seed: 7 } }),
    )
    expect(thrown).toMatchObject({ status: 400, message: expect.stringContaining('unsupported_parameter') })
  })
})

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('the call succeeded'),
    (error: unknown) => error,
  )
}
