import { afterAll, describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { OPENAI_SDKS } from '../../../test/support/sdk-clients.ts'
import { type Answer, finishOf } from '../../conversation/answer.ts'
import { unfold } from '../../conversation/fold.ts'
import { textPart } from '../../conversation/part.ts'
import { openProof } from '../../conversation/proof.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { ReplyContext } from '../translation.ts'
import { readRequest } from './request/read-request.ts'

interface Scene {
  readonly answer: Answer
  /** Fails after this many events. */
  readonly failsAfter?: number
}

let scene: (turns: number) => Scene
let ids = 0
const context: ReplyContext = {
  requestId: 'req_1',
  model: 'deep-1',
  createdAtMs: 1_763_200_000_000,
  nowMs: () => 1_763_200_000_000,
  promptTokens: 5,
  newId: (prefix) => `${prefix}${String(++ids).padStart(24, '0')}`,
}

const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const text = await request.text()
    const { client, facts } = readRequest(JSON.parse(text), text)
    if (client === undefined) throw new Error('no client side')
    const { answer, failsAfter } = scene(client.decode().turns.length)
    if (!facts.stream) return Response.json(client.encodeReply(answer, context))
    const encoder = client.openEncoder(context)
    const events = unfold(answer).slice(0, failsAfter)
    const frames = events.map((event) => `: ka\n${encoder.push(event)}`)
    if (failsAfter !== undefined) frames.push(encoder.fail(new GatewayError('provider_error', 'It broke.')))
    return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  },
})
afterAll(() => server.stop(true))

const PROOF = {
  origin: 'messages',
  model: 'deep-1',
  route: 'sup_1',
  on: 'thinking' as const,
  value: 'c2ln',
  itemId: null,
}
const USAGE = { input: 10, cacheRead: 4, cacheWrite: 1, output: 20, reasoning: 6, images: 0 }

function answerOf(parts: Answer['choices'][0]['parts'], reason = finishOf('stop')): Answer {
  return { id: 'x', choices: [{ index: 0, parts, finish: reason, logprobs: null }], usage: USAGE }
}

function callOf(id: string, name: string, input: string) {
  return {
    type: 'tool-call' as const,
    id,
    name,
    kind: 'function' as const,
    input,
    namespace: null,
    proof: null,
  }
}

const EVERYTHING = answerOf(
  [
    { type: 'thinking', text: 'Let me think.', proof: PROOF, isRedacted: false },
    {
      ...textPart('See there.'),
      citations: [{ url: 'https://a.example/', title: 'A', citedText: null, start: 0, end: 3 }],
    },
    callOf('call_a', 'get_weather', '{"city":"Oslo"}'),
    callOf('call_b', 'get_weather', ''),
    { ...callOf('call_c', 'patch', '*** Begin'), kind: 'custom' },
    textPart('More.'),
    {
      type: 'image',
      source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
      detail: null,
      cache: null,
    },
    {
      type: 'opaque',
      format: 'responses',
      kind: 'web_search_call',
      value: {
        id: 'ws_1',
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'q' },
      },
    },
  ],
  finishOf('tool-call'),
)

describe.each(OPENAI_SDKS)('%s', (_name, Sdk, createClient) => {
  const client = createClient({ apiKey: 'k', baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 })
  const ask = { model: 'deep-1', input: 'hi' }

  test('accumulates every kind of item to the same response as a whole reply', async () => {
    scene = () => ({ answer: EVERYTHING })
    const final = await client.responses.stream(ask).finalResponse()
    const whole = await client.responses.create(ask)
    for (const response of [final, whole]) {
      expect(response.status).toBe('completed')
      expect(response.output_text).toBe('See there.More.')
      expect(response.output.map(({ type }) => type)).toEqual([
        'reasoning',
        'message',
        'function_call',
        'function_call',
        'custom_tool_call',
        'message',
        'image_generation_call',
        'web_search_call',
      ])
      expect(response.output[3]).toMatchObject({ call_id: 'call_b', arguments: '{}', status: 'completed' })
      expect(response.usage).toEqual({
        input_tokens: 15,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 6 },
        total_tokens: 35,
      })
      const [reasoning] = response.output
      expect(reasoning).toMatchObject({ summary: [{ type: 'summary_text', text: 'Let me think.' }] })
      const sealed = reasoning?.type === 'reasoning' ? (reasoning.encrypted_content ?? '') : ''
      expect(openProof(sealed)).toEqual(PROOF)
    }
  })

  test('a refusal is a completed response with text', async () => {
    scene = () => ({ answer: answerOf([{ type: 'refusal', text: 'No.' }], finishOf('refusal')) })
    const final = await client.responses.stream(ask).finalResponse()
    expect(final.status).toBe('completed')
    expect(final.output[0]).toMatchObject({ content: [{ type: 'refusal', refusal: 'No.' }] })
  })

  test('a truncated response is incomplete, and so is its last item', async () => {
    scene = () => ({ answer: answerOf([textPart('Half')], finishOf('length')) })
    const final = await client.responses.stream(ask).finalResponse()
    expect(final.status).toBe('incomplete')
    expect(final.incomplete_details).toEqual({ reason: 'max_output_tokens' })
    expect(final.output[0]).toMatchObject({ status: 'incomplete' })
    expect(final.output_text).toBe('Half')
  })

  test('an empty response is valid', async () => {
    scene = () => ({ answer: answerOf([], finishOf('filter')) })
    const final = await client.responses.stream(ask).finalResponse()
    expect(final.output).toEqual([])
    expect(final.incomplete_details).toEqual({ reason: 'content_filter' })
  })

  test.each([1, 4, 8])(
    'a failure after %i events is thrown with its code, iterated or accumulated',
    async (failsAfter) => {
      scene = () => ({ answer: EVERYTHING, failsAfter })
      const caught = (call: Promise<unknown>) =>
        call.then(
          () => null,
          (error: unknown) => error,
        )
      const helper = await caught(client.responses.stream(ask).finalResponse())
      const raw = await caught(
        client.responses.create({ ...ask, stream: true }).then((stream) => Array.fromAsync(stream)),
      )
      for (const error of [helper, raw]) {
        expect(error).toBeInstanceOf(Sdk.APIError)
        expect(error).toMatchObject({ code: 'provider_error' })
      }
    },
  )
})

describe('ai sdk', () => {
  const openai = createOpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${server.port}/v1` })
  const model = openai.responses('deep-1')
  const tools = {
    get_weather: tool({
      inputSchema: jsonSchema<{ city?: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
      }),
      execute: ({ city }) => `sunny in ${city ?? 'nowhere'}`,
    }),
  }
  const CALLING = answerOf(
    [
      { type: 'thinking', text: 'Hm.', proof: PROOF, isRedacted: false },
      callOf('call_a', 'get_weather', '{"city":"Oslo"}'),
      callOf('call_b', 'get_weather', '{"city":"Bergen"}'),
    ],
    finishOf('tool-call'),
  )
  const looping = (turns: number) => ({ answer: turns > 1 ? answerOf([textPart('Sunny.')]) : CALLING })
  const options = { model, tools, prompt: 'weather?', stopWhen: stepCountIs(3), maxRetries: 0 }
  const providerOptions = { openai: { store: false } }

  test('runs a tool loop over whole replies', async () => {
    scene = looping
    const { text, steps } = await generateText({ ...options, providerOptions })
    expect(text).toBe('Sunny.')
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(['sunny in Oslo', 'sunny in Bergen'])
    expect(steps[0]?.reasoningText).toBe('Hm.')
  })

  test('runs a tool loop over streams', async () => {
    scene = looping
    const result = streamText({ ...options, providerOptions })
    expect(await result.text).toBe('Sunny.')
    expect((await result.totalUsage).totalTokens).toBe(70)
  })

  test('throws an error that occurs inside a stream', async () => {
    scene = () => ({ answer: EVERYTHING, failsAfter: 5 })
    const errors: unknown[] = []
    const result = streamText({ ...options, onError: ({ error }) => void errors.push(error) })
    await result.consumeStream()
    expect(JSON.stringify(errors)).toContain('It broke.')
  })
})
