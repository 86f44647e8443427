import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { GoogleGenAI as GenAi2, type Part } from '@google/genai'
import { streamText } from 'ai'
import { GoogleGenAI as GenAi1 } from 'genai-1'
import { type AnswerPart, finishOf } from '../../conversation/answer.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { unfold } from '../../conversation/fold.ts'
import { textPart } from '../../conversation/part.ts'
import type { Proof } from '../../conversation/proof.ts'
import { NO_USAGE } from '../../conversation/usage.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { ReplyContext } from '../translation.ts'
import { contentGeneration, encodeModelList, operationOf } from './index.ts'

const context: ReplyContext = {
  requestId: 'req_1',
  model: 'vendor/m:free',
  createdAtMs: 0,
  nowMs: () => 0,
  promptTokens: 7,
  newId: (prefix) => `${prefix}fresh`,
}
const PROOF: Proof = { origin: 'messages', model: 'd', route: 's', on: 'thinking', value: 'v', itemId: null }
const THOUGHT: AnswerPart = { type: 'thinking', text: 'I should look.', proof: PROOF, isRedacted: false }

function call(id: string, city: string): AnswerPart {
  const proof: Proof = { ...PROOF, origin: 'content-generation', on: 'tool-call', value: id }
  const input = JSON.stringify({ city })
  return { type: 'tool-call', id, name: 'get_weather', kind: 'function', input, namespace: null, proof }
}

/** The answer to send, and the requests received. */
let parts: readonly AnswerPart[] = []
let failure: GatewayError | null = null
/** Resolves when a failed stream may be cut off; earlier, the client might not even see its beginning. */
let breakOff = Promise.withResolvers<void>()
let asked: Conversation[] = []

function answer(request: Request, text: string, path: string): Response {
  const url = new URL(request.url)
  if (path === '') {
    const [pageSize, pageToken] = [url.searchParams.get('pageSize'), url.searchParams.get('pageToken')]
    const limits = { inputTokenLimit: 1, outputTokenLimit: 2, kinds: ['text'] as const }
    const models = ['a', 'b', 'c'].map((id) => ({ id, displayName: id, description: id, ...limits }))
    return Response.json(encodeModelList(models, { pageSize, pageToken }))
  }
  const address = { rest: path, query: url.searchParams }
  if (operationOf(path) === 'count-tokens')
    return Response.json(contentGeneration.tokenCounting?.read(JSON.parse(text), text, address).encode(12))
  const { client, facts } = contentGeneration.readRequest(JSON.parse(text), text, address)
  if (client === undefined) throw new Error('no client side')
  asked.push(client.decode())
  const finish = finishOf(parts.some(({ type }) => type === 'tool-call') ? 'tool-call' : 'stop')
  const usage = { ...NO_USAGE, input: 9, output: 25, reasoning: 20 }
  const answer = { id: 'x', choices: [{ index: 0, parts, finish, logprobs: null }], usage }
  if (!facts.stream) return Response.json(client.encodeReply(answer, context))
  const encoder = client.openEncoder(context)
  const events = unfold(answer)
  const frames = (failure === null ? events : events.slice(0, 3)).map((event) => encoder.push(event))
  return streamed(failure === null ? frames : [...frames, encoder.fail(failure)])
}

/** Sends frame by frame and breaks the connection after a failure, as the gateway does. */
function streamed(frames: readonly string[]): Response {
  const rest = frames.filter((frame) => frame !== '').values()
  const isFailed = failure !== null
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = rest.next()
      if (value !== undefined) controller.enqueue(new TextEncoder().encode(value))
      else if (done && isFailed) {
        await breakOff.promise
        controller.error(new Error('broken off'))
      } else controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

let server: ReturnType<typeof Bun.serve>
let baseUrl = ''

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    async fetch(request) {
      const path = decodeURIComponent(new URL(request.url).pathname).replace(/^\/v1beta\/models\/?/, '')
      return answer(request, await request.text(), path)
    },
    error: () => new Response('broken', { status: 500 }),
  })
  baseUrl = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

afterEach(() => {
  parts = []
  failure = null
  breakOff = Promise.withResolvers()
  asked = []
})

const SDKS = [
  ['genai 2', (httpOptions: { baseUrl: string }) => new GenAi2({ apiKey: 'k', httpOptions })],
  [
    'genai 1',
    // The versions differ only in types that these tests do not use.
    (httpOptions: { baseUrl: string }) => new GenAi1({ apiKey: 'k', httpOptions }) as unknown as GenAi2,
  ],
] as const

const MODEL = 'vendor/m:free'

function describePart({ text, thought, functionCall }: Part): string[] {
  if (functionCall) return [`${functionCall.id} ${JSON.stringify(functionCall.args)}`]
  return text ? [`${thought ? 'thought' : 'text'} ${text}`] : []
}

for (const [name, open] of SDKS) {
  describe(name, () => {
    test('a whole answer', async () => {
      parts = [THOUGHT, textPart('Hello 😀'), call('call_1', 'Oslo')]
      const response = await open({ baseUrl }).models.generateContent({ model: MODEL, contents: 'hi' })
      expect(asked[0]).toMatchObject({ model: MODEL, stream: false })
      expect(response.candidates?.[0]?.content?.parts?.map((part) => part.text)).toContain('Hello 😀')
      expect(response.functionCalls).toEqual([{ id: 'call_1', name: 'get_weather', args: { city: 'Oslo' } }])
      expect(response.usageMetadata).toMatchObject({
        promptTokenCount: 9,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 20,
        totalTokenCount: 34,
      })
      expect([response.modelVersion, response.responseId]).toEqual([MODEL, 'fresh'])
    })

    test('a streamed answer', async () => {
      parts = [THOUGHT, textPart('Hello 😀'), call('call_1', 'Oslo'), call('call_2', 'Rome')]
      const stream = await open({ baseUrl }).models.generateContentStream({ model: MODEL, contents: 'hi' })
      const shown: string[] = []
      let last: Awaited<ReturnType<typeof stream.next>>['value']
      for await (const chunk of stream) {
        shown.push(...(chunk.candidates?.[0]?.content?.parts ?? []).flatMap(describePart))
        last = chunk
      }
      expect(shown).toEqual([
        'thought I should look.',
        'text Hello 😀',
        'call_1 {"city":"Oslo"}',
        'call_2 {"city":"Rome"}',
      ])
      expect(last?.candidates?.[0]?.finishReason).toBe('STOP')
      expect(last?.usageMetadata?.totalTokenCount).toBe(34)
    })

    test('a chat sends back every part with its signature', async () => {
      const chat = open({ baseUrl }).chats.create({ model: MODEL })
      parts = [
        THOUGHT,
        { ...textPart('Let me see.'), proof: { ...PROOF, on: 'text' } },
        call('call_1', 'Oslo'),
      ]
      for await (const _ of await chat.sendMessageStream({ message: 'weather?' }));
      parts = [textPart('Sunny.')]
      const functionResponse = { id: 'call_1', name: 'get_weather', response: { output: 'sun' } }
      await chat.sendMessage({ message: [{ functionResponse }] })
      const [, said, answered] = asked[1]?.turns ?? []
      expect(said?.parts).toMatchObject([
        { type: 'thinking', text: 'I should look.', proof: PROOF },
        { type: 'text', text: 'Let me see.', proof: { origin: 'messages', on: 'text' } },
        {
          type: 'tool-call',
          id: 'call_1',
          input: '{"city":"Oslo"}',
          proof: { value: 'call_1', on: 'tool-call' },
        },
      ])
      expect(answered?.parts).toMatchObject([
        { type: 'tool-result', callId: 'call_1', parts: [{ text: 'sun' }] },
      ])
    })

    test('an empty answer keeps the chat history intact', async () => {
      const chat = open({ baseUrl }).chats.create({ model: MODEL })
      for await (const _ of await chat.sendMessageStream({ message: 'one' }));
      parts = [textPart('two')]
      await chat.sendMessage({ message: 'again' })
      expect(JSON.stringify(asked[1]?.turns)).toContain('again')
    })

    test('throws on an error in mid-stream', async () => {
      parts = [textPart('Hel')]
      failure = new GatewayError('provider_error', 'The supplier failed.')
      const stream = await open({ baseUrl }).models.generateContentStream({ model: MODEL, contents: 'hi' })
      const reading = (async () => {
        // The newer version reads the error event; the older one only notices the broken connection.
        for await (const _ of stream) if (name === 'genai 1') breakOff.resolve()
      })()
      const error = await reading.then(() => null).catch((thrown: unknown) => thrown)
      breakOff.resolve()
      expect(error).toBeInstanceOf(Error)
      if (name === 'genai 2') expect(error).toMatchObject({ status: 502 })
    })

    test('counts and lists', async () => {
      const ai = open({ baseUrl })
      const count = await ai.models.countTokens({ model: MODEL, contents: 'hi' })
      expect(count.totalTokens).toBe(12)
      const names: (string | undefined)[] = []
      for await (const model of await ai.models.list({ config: { pageSize: 2 } })) names.push(model.name)
      expect(names).toEqual(['models/a', 'models/b', 'models/c'])
    })
  })
}

describe('the AI SDK', () => {
  test('a streamed answer with a call', async () => {
    parts = [THOUGHT, textPart('Hello'), call('call_1', 'Oslo')]
    const google = createGoogleGenerativeAI({ apiKey: 'k', baseURL: `${baseUrl}/v1beta` })
    const result = streamText({ model: google(MODEL), prompt: 'hi' })
    const shown: string[] = []
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') shown.push(part.text)
      if (part.type === 'tool-call') shown.push(`${part.toolName} ${JSON.stringify(part.input)}`)
    }
    expect(shown.filter((text) => text !== '')).toEqual([
      'I should look.',
      'Hello',
      'get_weather {"city":"Oslo"}',
    ])
    expect((await result.usage).outputTokens).toBe(25)
    expect(await result.finishReason).toBe('tool-calls')
  })
})
