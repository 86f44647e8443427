import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Anthropic as Anthropic1 } from '@anthropic-ai/sdk'
import { Anthropic as Anthropic0 } from 'anthropic-0'
import { Compile } from 'typebox/schema'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { failureOf, IMAGE, WEATHER_SCHEMA } from './materials.ts'

type Message = Anthropic1.Message
type MessageParam = Anthropic1.MessageParam

interface ClientOptions {
  readonly apiKey: string
  readonly baseURL: string
  readonly maxRetries: number
}

const SDKS = [
  ['anthropic 1', (options: ClientOptions) => new Anthropic1(options)],
  // The versions differ in types these tests do not touch, in the version they ask for and in how they send the key.
  ['anthropic 0', (options: ClientOptions) => new Anthropic0(options) as unknown as Anthropic1],
] as const

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox()
})
afterAll(() => sandbox.stop())

const weather = { name: 'get_weather', description: 'Current weather.', input_schema: WEATHER_SCHEMA }
const time = { name: 'get_time', input_schema: { type: 'object' as const } }
const thinking = { type: 'enabled' as const, budget_tokens: 1024 }

describe.each(SDKS)('%s', (name, createClient) => {
  let client: Anthropic1
  beforeAll(() => {
    client = createClient({ apiKey: 'sk-sandbox-test', baseURL: sandbox.url, maxRetries: 0 })
  })
  const chat = (content: string) => ({
    model: 'sandbox-chat',
    max_tokens: 4000,
    messages: [{ role: 'user', content }] satisfies MessageParam[],
  })

  test('gets a whole answer', async () => {
    const message = await client.messages.create({
      ...chat('Tell me a story'),
      system: [{ type: 'text', text: 'Be brief.' }],
    })
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'end_turn',
      stop_sequence: null,
      content: [{ type: 'text', text: 'You said: "Tell me a story". I follow 1 instruction.' }],
    })
    expect(message.usage.output_tokens).toBe(Math.ceil(textOf(message).length / 4))
  })

  test('folds a stream into the whole answer', async () => {
    const request = { ...chat('Both in parallel'), model: 'sandbox-tools', tools: [weather, time], thinking }
    const folded = await client.messages.stream(request).finalMessage()
    const whole = await client.messages.create(request)
    expect(withoutIds(folded)).toEqual(withoutIds(whole))
    expect(whole.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use', 'tool_use'])
    expect(folded.usage).toMatchObject(whole.usage)
  })

  test('goes through a tool loop with its signed thoughts', async () => {
    const request = {
      ...chat('What is the weather? redact'),
      model: 'sandbox-reasoner',
      tools: [weather],
      thinking,
    }
    const first = await client.messages.stream(request).finalMessage()
    expect(first.stop_reason).toBe('tool_use')
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'tool_use'])
    const second = await client.messages.create({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: first.content },
        answerTo(first, '18 degrees'),
      ],
    })
    expect(textOf(second)).toBe('get_weather returned: 18 degrees')
  })

  test('can report that a tool failed', async () => {
    const request = { ...chat('What is the weather?'), model: 'sandbox-tools', tools: [weather] }
    const first = await client.messages.create(request)
    const [call] = first.content
    const id = call?.type === 'tool_use' ? call.id : ''
    const result = { type: 'tool_result' as const, tool_use_id: id, content: 'no signal', is_error: true }
    const messages: MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ]
    expect(textOf(await client.messages.create({ ...request, messages }))).toBe(
      'get_weather failed: no signal',
    )
  })

  test('hides the text of its thoughts on request', async () => {
    const request = {
      ...chat('Why?'),
      model: 'sandbox-reasoner',
      thinking: { ...thinking, display: 'omitted' as const },
    }
    const message = await client.messages.stream(request).finalMessage()
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: '' })
    const messages: MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content: message.content },
      { role: 'user', content: 'And then?' },
    ]
    expect((await client.messages.create({ ...request, messages })).stop_reason).toBe('end_turn')
  })

  test('respects the choice of tools', async () => {
    const called = async (tool_choice: Anthropic1.ToolChoice) => {
      const request = {
        ...chat('Both in parallel'),
        model: 'sandbox-tools',
        tools: [weather, time],
        tool_choice,
      }
      const { content } = await client.messages.create(request)
      return content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
    }
    expect(await called({ type: 'any' })).toEqual(['get_weather', 'get_time'])
    expect(await called({ type: 'auto', disable_parallel_tool_use: true })).toEqual(['get_weather'])
    expect(await called({ type: 'tool', name: 'get_time' })).toEqual(['get_time'])
    expect(await called({ type: 'none' })).toEqual([])
  })

  test('sees images, also those a tool returns', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: IMAGE.data }
    const image = { type: 'image' as const, source }
    const seen = await client.messages.create({
      ...chat(''),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }],
    })
    expect(textOf(seen)).toBe(`You said: "What is this?". I see 1 image: ${IMAGE.remark}.`)
    const request = { ...chat('Look'), model: 'sandbox-tools', tools: [time] }
    const first = await client.messages.create(request)
    const messages: MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content: first.content },
      answerTo(first, [{ type: 'text', text: 'here' }, image]),
    ]
    expect(textOf(await client.messages.create({ ...request, messages }))).toBe(
      `get_time returned: here I see 1 image: ${IMAGE.remark}.`,
    )
  })

  test('ends with every stop reason', async () => {
    const cut = await client.messages.create({ ...chat('count to 1000'), max_tokens: 5 })
    expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 5 } })
    const stopped = await client.messages
      .stream({ ...chat('count to 100'), stop_sequences: [' 4'] })
      .finalMessage()
    expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ' 4' })
    expect(textOf(stopped)).toBe('1 2 3')
    for (const refused of [
      await client.messages.create(chat('Please refuse this')),
      await client.messages.stream(chat('Please refuse this')).finalMessage(),
    ]) {
      expect(refused).toMatchObject({
        stop_reason: 'refusal',
        content: [],
        stop_details: { type: 'refusal', explanation: 'I am sorry, but I cannot help with that.' },
      })
    }
  })

  test('gets structured output that fits the schema', async () => {
    const output_config = { format: { type: 'json_schema' as const, schema: WEATHER_SCHEMA } }
    const message = await client.messages.create({ ...chat('Weather, please'), output_config })
    expect(Compile(WEATHER_SCHEMA).Check(JSON.parse(textOf(message)))).toBe(true)
  })

  test('counts the prompt in parts that do not overlap', async () => {
    const content = `${name} `.repeat(600)
    const request = {
      ...chat(''),
      messages: [
        {
          role: 'user' as const,
          content: [{ type: 'text' as const, text: content, cache_control: { type: 'ephemeral' as const } }],
        },
      ],
    }
    const { input_tokens: total } = await client.messages.countTokens({
      model: request.model,
      messages: request.messages,
    })
    const sum = ({ usage }: Message) =>
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
    const first = await client.messages.create(request)
    const second = await client.messages.stream(request).finalMessage()
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThanOrEqual(1024)
    expect(first.usage.cache_read_input_tokens).toBe(0)
    expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens)
    expect([sum(first), sum(second)]).toEqual([total, total])
  })

  test('fails in mid-stream as Anthropic does', async () => {
    sandbox.faults.set({ fault: { type: 'error-in-stream', afterPieces: 5 }, times: 1 })
    const failure = await failureOf(client.messages.stream(chat('count to 9')).finalMessage())
    expect(failure).toBeInstanceOf(Error)
    expect(String(failure)).toContain('The sandbox was configured to answer 500.')
  })

  test('gets the errors Anthropic would send', async () => {
    expect(await failureOf(client.messages.create({ ...chat('Hi'), model: 'gpt-9' }))).toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error' } },
    })
    const stranger = createClient({ apiKey: 'sk-real', baseURL: sandbox.url, maxRetries: 0 })
    expect(await failureOf(stranger.messages.create(chat('Hi')))).toMatchObject({
      status: 401,
      error: { error: { type: 'authentication_error' } },
    })
    sandbox.faults.set({ fault: { type: 'status', status: 529 }, times: 1 })
    expect(await failureOf(client.messages.create(chat('Hi')))).toMatchObject({
      status: 529,
      error: { error: { type: 'overloaded_error' } },
    })
  })
})

function answerTo(message: Message, content: Anthropic1.ToolResultBlockParam['content']): MessageParam {
  const results = message.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            type: 'tool_result' as const,
            tool_use_id: block.id,
            ...(content === undefined ? {} : { content }),
          },
        ]
      : [],
  )
  return { role: 'user', content: results }
}

function textOf({ content }: Message): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
}

function withoutIds({ content }: Message): readonly object[] {
  return content.map((block) => ('id' in block ? { ...block, id: '' } : block))
}
