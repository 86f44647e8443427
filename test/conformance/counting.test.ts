import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { countCalls } from './calls.ts'
import { GENAI_SDKS } from './drivers/content-generation.ts'
import { ANTHROPIC_SDKS } from './drivers/messages.ts'
import { PIXEL } from './scenarios.ts'
import { openStage, type Stage } from './stage.ts'
import { TEXT_FORMATS } from './talk.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterEach(() => stage.gateway.sandbox.faults.clear())
afterAll(() => stage.stop())

const lastPath = () => stage.gateway.sandbox.calls.at(-1)?.path

const QUESTION = 'How long is this question, and what does it cost?'
/** What every estimate is made by. */
const estimateOf = (text: string) => Math.ceil(text.length / 4)

describe.each(ANTHROPIC_SDKS)('%s: countTokens', (_sdk, _classes, connect) => {
  const clientFor = (supplier: (typeof TEXT_FORMATS)[number]) =>
    connect({ apiKey: stage.keyFor(supplier), baseURL: stage.gateway.url, maxRetries: 0 })
  const request = { model: 'sandbox-chat', messages: [{ role: 'user' as const, content: QUESTION }] }

  test('asks a supplier that counts, and agrees with what an answer is charged for', async () => {
    const client = clientFor('messages')
    const { input_tokens } = await client.messages.countTokens(request)
    expect(lastPath()).toBe('/v1/messages/count_tokens')
    const { usage } = await client.messages.create({ ...request, max_tokens: 50 })
    expect(input_tokens).toBe(usage.input_tokens)
  })

  test('counts tools and instructions too', async () => {
    const input_schema = { type: 'object' as const, properties: { city: { type: 'string' } } }
    const more = { system: 'Be brief.', tools: [{ name: 'get_weather', input_schema }] }
    for (const supplier of ['messages', 'chat-completion'] as const) {
      const client = clientFor(supplier)
      const { input_tokens: bare } = await client.messages.countTokens(request)
      const { input_tokens: full } = await client.messages.countTokens({ ...request, ...more })
      expect(full).toBeGreaterThan(bare)
    }
  })

  test.each(TEXT_FORMATS.filter((format) => format !== 'messages'))(
    'estimates for %s, which has no such count, without a call',
    async (supplier) => {
      const calls = await countCalls(stage.gateway.sandbox, async () => {
        const { input_tokens } = await clientFor(supplier).messages.countTokens(request)
        expect(input_tokens).toBeGreaterThanOrEqual(estimateOf(QUESTION))
      })
      expect(calls).toBe(0)
    },
  )

  test('estimates when the supplier fails', async () => {
    stage.gateway.sandbox.faults.set({ times: 1, fault: { type: 'status', status: 500 } })
    const { input_tokens } = await clientFor('messages').messages.countTokens(request)
    expect(lastPath()).toBe('/v1/messages/count_tokens')
    expect(input_tokens).toBeGreaterThanOrEqual(estimateOf(QUESTION))
  })
})

describe.each(GENAI_SDKS)('%s: countTokens', (_sdk, connect) => {
  const clientFor = (supplier: (typeof TEXT_FORMATS)[number]) =>
    connect({ apiKey: stage.keyFor(supplier), httpOptions: { baseUrl: stage.gateway.url } })

  test.each(TEXT_FORMATS)('estimates for %s without a call', async (supplier) => {
    const calls = await countCalls(stage.gateway.sandbox, async () => {
      const counted = await clientFor(supplier).models.countTokens({
        model: 'sandbox-chat',
        contents: QUESTION,
      })
      expect(counted.totalTokens).toBe(estimateOf(QUESTION))
    })
    expect(calls).toBe(0)
  })

  test('counts an image as 1,600 tokens', async () => {
    const inlineData = { mimeType: PIXEL.mediaType, data: PIXEL.data }
    const { totalTokens } = await clientFor('messages').models.countTokens({
      model: 'sandbox-chat',
      contents: [{ role: 'user', parts: [{ text: QUESTION }, { inlineData }] }],
    })
    expect(totalTokens).toBe(estimateOf(QUESTION) + 1_600)
  })
})

describe.each(OPENAI_SDKS)('%s: inputTokens', (_sdk, { NotFoundError }, connect) => {
  const clientFor = (supplier: (typeof TEXT_FORMATS)[number]) =>
    connect({ apiKey: stage.keyFor(supplier), baseURL: `${stage.gateway.url}/v1`, maxRetries: 0 })

  test.each(TEXT_FORMATS)('estimates for %s', async (supplier) => {
    const counted = await clientFor(supplier).responses.inputTokens.count({
      model: 'sandbox-chat',
      input: QUESTION,
    })
    expect(counted).toEqual({
      object: 'response.input_tokens',
      input_tokens: estimateOf(QUESTION),
    })
  })

  test('reports an unknown model', async () => {
    const counting = clientFor('responses').responses.inputTokens.count({ model: 'gpt-none', input: 'hi' })
    expect(await counting.catch((error: unknown) => error)).toBeInstanceOf(NotFoundError)
  })
})
