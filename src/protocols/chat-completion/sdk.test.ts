import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import { OPENAI_SDKS } from '../../../test/support/sdk-clients.ts'
import { replyContext } from '../../../test/support/translation-contexts.ts'
import { type Answer, type AnswerPart, finishOf } from '../../conversation/answer.ts'
import { unfold } from '../../conversation/fold.ts'
import { textPart } from '../../conversation/part.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { readRequest } from './request/read-request.ts'

const call = (id: string, name: string, input: string): AnswerPart => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  input,
  namespace: null,
  proof: null,
})
const USAGE = { input: 3, cacheRead: 2, cacheWrite: 0, output: 7, reasoning: 4, images: 0 }
const answerOf = (...choices: readonly (readonly AnswerPart[])[]): Answer => ({
  id: 'up_1',
  choices: choices.map((parts, index) => ({
    index,
    parts,
    finish: finishOf(parts.some(({ type }) => type === 'tool-call') ? 'tool-call' : 'stop'),
    logprobs: null,
  })),
  usage: USAGE,
})
const THOUGHT: AnswerPart = { type: 'thinking', text: 'Let me see.', proof: null, isRedacted: false }
const CITED: AnswerPart = {
  ...textPart('Oslo is cold.'),
  citations: [{ url: 'https://e.example', title: 'Oslo', citedText: null, start: 0, end: 4 }],
}

/** What the server answers, by the model asked for. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  text: answerOf([textPart('Hello 😀 "quoted"\nline')]),
  tools: answerOf([THOUGHT, textPart('Calling.'), call('call_a', 'f', '{"x":1}'), call('call_b', 'g', '')]),
  choices: answerOf([textPart('one')], [textPart('two')]),
  cited: answerOf([CITED]),
  refused: answerOf([{ type: 'refusal', text: 'I will not.' }]),
  broken: answerOf([textPart('Half of')]),
}

/** The client side of this format alone: what it decodes is ignored, what it encodes is sent. */
async function serve(request: Request): Promise<Response> {
  const text = await request.text()
  const { client, facts } = readRequest(JSON.parse(text), text)
  const answer = ANSWERS[facts.model]
  if (client === undefined || answer === undefined) return new Response(null, { status: 404 })
  if (!facts.stream) return Response.json(client.encodeReply(answer, replyContext()))
  const encoder = client.openEncoder(replyContext())
  const isBroken = facts.model === 'broken'
  const events = isBroken ? unfold(answer).slice(0, 3) : unfold(answer)
  const frames = events.map((event) => encoder.push(event)).join('')
  const failure = isBroken ? encoder.fail(new GatewayError('provider_error', 'It broke.')) : ''
  return new Response(frames + failure, { headers: { 'content-type': 'text/event-stream' } })
}

let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: serve })
})
afterAll(() => server.stop(true))

const TOOLS = ['f', 'g'].map((name) => ({ type: 'function' as const, function: { name, parameters: {} } }))
const messages = [{ role: 'user' as const, content: 'hi' }]

describe.each(OPENAI_SDKS)('%s', (_name, { APIError }, connect) => {
  const client = () => connect({ apiKey: 'k', baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 })

  test.each(['text', 'tools', 'choices', 'cited', 'refused'])(
    '%s: its stream adds up to the whole reply',
    async (model) => {
      const asked = { model, messages, tools: TOOLS, n: 2 }
      const whole = await client().chat.completions.create(asked)
      const streamed = await client()
        .chat.completions.stream({ ...asked, stream_options: { include_usage: true } })
        .finalChatCompletion()
      const brief = ({ choices, usage }: typeof whole) => ({
        usage,
        choices: choices.map(({ index, finish_reason, message }) => ({
          index,
          finish_reason,
          text: message.content ?? '',
          refusal: message.refusal ?? null,
          calls: message.tool_calls?.map(({ id, type, ...rest }) => [
            id,
            type,
            'function' in rest ? [rest.function.name, rest.function.arguments] : [],
          ]),
        })),
      })
      expect(brief(streamed)).toEqual(brief(whole))
      expect(whole.usage?.prompt_tokens_details?.cached_tokens).toBe(2)
    },
  )

  test('two calls arrive separately, and one without arguments has an empty object', async () => {
    const { choices } = await client()
      .chat.completions.stream({ model: 'tools', messages, tools: TOOLS })
      .finalChatCompletion()
    const found = choices[0]?.message.tool_calls?.map((each) =>
      'function' in each ? each.function.arguments : null,
    )
    expect(found).toEqual(['{"x":1}', '{}'])
    expect(choices[0]?.finish_reason).toBe('tool_calls')
  })

  test('thinking arrives as reasoning_content', async () => {
    let thoughts = ''
    const stream = await client().chat.completions.create({ model: 'tools', messages, stream: true })
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta as { reasoning_content?: string } | undefined
      thoughts += delta?.reasoning_content ?? ''
    }
    expect(thoughts).toBe('Let me see.')
  })

  test('usage arrives only when requested', async () => {
    const usages: unknown[] = []
    const stream = await client().chat.completions.create({ model: 'text', messages, stream: true })
    for await (const { usage } of stream) usages.push(usage)
    expect(usages.every((usage) => usage === undefined)).toBe(true)
  })

  test('an error inside a stream is thrown with its code', async () => {
    const read = async () => {
      const stream = await client().chat.completions.create({ model: 'broken', messages, stream: true })
      for await (const _chunk of stream);
    }
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ code: 'provider_error', type: 'provider_error' })
  })
})

test('the AI SDK for compatible services reads thinking, text and calls', async () => {
  const provider = createOpenAICompatible({
    name: 'local',
    baseURL: `http://127.0.0.1:${server.port}/v1`,
    apiKey: 'k',
  })
  const result = streamText({ model: provider('tools'), prompt: 'hi', maxRetries: 0 })
  expect(await result.text).toBe('Calling.')
  expect(await result.reasoningText).toBe('Let me see.')
  const calls = await result.toolCalls
  expect(calls.map(({ toolCallId, toolName, input }) => [toolCallId, toolName, input])).toEqual([
    ['call_a', 'f', { x: 1 }],
    ['call_b', 'g', {}],
  ])
  expect(await result.finishReason).toBe('tool-calls')
})
