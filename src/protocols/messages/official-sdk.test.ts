import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { streamText } from 'ai'
import Anthropic0 from 'anthropic-0'
import fc from 'fast-check'
import { arbitraryStreamedAnswer } from '../../../test/support/arbitrary-conversation.ts'
import type { Answer, AnswerPart } from '../../conversation/answer.ts'
import type { AnswerEvent } from '../../conversation/answer-event.ts'
import { unfold } from '../../conversation/fold.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { renderError } from '../../errors/render-error.ts'
import type { ReplyContext } from '../translation.ts'
import { messages } from './index.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { MessagesStreamEncoder } from './stream/encode-stream.ts'

const CONTEXT: ReplyContext = {
  requestId: 'req_1',
  model: 'public-1',
  createdAtMs: 0,
  nowMs: () => 0,
  promptTokens: 11,
  newId: (prefix) => `${prefix}fresh`,
}

/** Serves the response that the current test has set. */
let respond: () => Response = () => new Response(null, { status: 500 })
let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => respond() })
})
afterAll(() => server.stop(true))

const stream = (frames: string) => () =>
  new Response(frames, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })

function encode(events: readonly AnswerEvent[]): string {
  const encoder = new MessagesStreamEncoder(CONTEXT)
  return events.map((event) => encoder.push(event)).join('')
}

const body = {
  model: 'm',
  max_tokens: 50,
  messages: [{ role: 'user' as const, content: 'hi' }],
}

const call = (id: string, input: string): AnswerPart => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  input,
  namespace: null,
  proof: null,
})
const ANSWER: Answer = {
  id: 'x',
  usage: { input: 5, cacheRead: 2, cacheWrite: 1, output: 9, reasoning: 4, images: 0 },
  choices: [
    {
      index: 0,
      logprobs: null,
      finish: { reason: 'stop', stopSequence: null, explanation: null },
      parts: [
        { type: 'thinking', text: 'Let me see.', proof: null, isRedacted: false },
        {
          type: 'text',
          text: 'Sunny. 😀',
          cache: null,
          citations: [{ url: 'https://a.example', title: 'A', citedText: 'sun', start: null, end: null }],
          proof: null,
        },
        call('call_1', '{"city":"Oslo"}'),
        call('call_2', ''),
      ],
    },
  ],
}

interface Told {
  readonly content: readonly object[]
  readonly stop_reason: string | null
  readonly usage: object
}

/** Both major versions of the official client, reduced to what these tests use. */
const CLIENTS: Readonly<Record<string, () => { final(): Promise<Told>; create(): Promise<Told> }>> = {
  'anthropic 1': () => {
    const client = new Anthropic({ apiKey: 'k', baseURL: server.url.origin, maxRetries: 0 })
    return {
      final: () => client.messages.stream(body).finalMessage(),
      create: () => client.messages.create(body),
    }
  },
  'anthropic 0': () => {
    const client = new Anthropic0({ apiKey: 'k', baseURL: server.url.origin, maxRetries: 0 })
    return {
      final: () => client.messages.stream(body).finalMessage(),
      create: () => client.messages.create(body),
    }
  },
}

for (const [name, open] of Object.entries(CLIENTS)) {
  describe(name, () => {
    test('reads the same thinking, citations and calls from a stream and a whole reply', async () => {
      respond = stream(encode(unfold(ANSWER)))
      const streamed = await open().final()
      expect(streamed).toMatchObject({
        id: 'msg_fresh',
        model: 'public-1',
        stop_reason: 'tool_use',
        content: [
          { type: 'thinking', thinking: 'Let me see.' },
          { type: 'text', text: 'Sunny. 😀', citations: [{ url: 'https://a.example', cited_text: 'sun' }] },
          { type: 'tool_use', id: 'call_1', name: 'f', input: { city: 'Oslo' } },
          { type: 'tool_use', id: 'call_2', name: 'f', input: {} },
        ],
        usage: {
          input_tokens: 5,
          cache_read_input_tokens: 2,
          cache_creation_input_tokens: 1,
          output_tokens: 9,
        },
      })
      respond = () => Response.json(encodeReply(ANSWER, CONTEXT))
      const { content, stop_reason } = await open().create()
      expect(JSON.parse(JSON.stringify(content))).toEqual(JSON.parse(JSON.stringify(streamed.content)))
      expect(stop_reason).toBe(streamed.stop_reason)
    })

    test('reads any answer the same from a stream and a whole reply', async () => {
      const answers = fc.sample(
        arbitraryStreamedAnswer({ without: ['custom-tools', 'namespaces', 'call-proofs'] }),
        {
          numRuns: 25,
          seed: 91,
        },
      )
      for (const { answer, events } of answers) {
        respond = stream(encode(events))
        const streamed = await open().final()
        const whole = encodeReply(answer, CONTEXT)
        expect(JSON.parse(JSON.stringify(streamed.content))).toEqual(
          JSON.parse(JSON.stringify(whole.content)),
        )
        expect(streamed.stop_reason).toBe(String(whole.stop_reason))
      }
    })

    test('ignores heartbeats, and throws on an error event', async () => {
      const encoder = new MessagesStreamEncoder(CONTEXT)
      const begun = encoder.push({ type: 'answer-start', id: 'x' }) + messages.heartbeat
      const failed = encoder.fail(new GatewayError('provider_overloaded', 'The supplier is busy.'))
      respond = stream(begun + failed)
      const error = await open()
        .final()
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect(String(error)).toContain('The supplier is busy.')
      expect(error).toMatchObject({ type: 'provider_overloaded' })
    })

    test('reads the error envelope', async () => {
      const refusal = new GatewayError('model_not_found', 'There is no model "m".')
      const { body, ...rest } = renderError(refusal, 'req_9', messages.dressError)
      respond = () => new Response(body, rest)
      const error = await open()
        .create()
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        status: 404,
        type: 'model_not_found',
        error: { type: 'error', error: { code: 'model_not_found' }, request_id: 'req_9' },
      })
    })
  })
}

test('ai sdk: reads the same stream', async () => {
  respond = stream(encode(unfold(ANSWER)))
  const provider = createAnthropic({ apiKey: 'k', baseURL: `${server.url.origin}/v1` })
  const result = streamText({ model: provider('m'), prompt: 'hi', maxRetries: 0 })
  expect(await result.text).toBe('Sunny. 😀')
  expect(await result.reasoningText).toBe('Let me see.')
  expect(await result.toolCalls).toMatchObject([
    { toolCallId: 'call_1', toolName: 'f', input: { city: 'Oslo' } },
    { toolCallId: 'call_2', toolName: 'f', input: {} },
  ])
  expect(await result.finishReason).toBe('tool-calls')
  expect((await result.usage).outputTokens).toBe(9)
})
