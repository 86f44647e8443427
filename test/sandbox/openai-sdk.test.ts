import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OpenAI as OpenAi7 } from 'openai'
import { OpenAI as OpenAi6 } from 'openai-6'
import { Compile } from 'typebox/schema'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'

const NOW_MS = 1_800_000_000_000

const WEATHER_SCHEMA = {
  type: 'object' as const,
  properties: {
    city: { type: 'string' as const },
    unit: { type: 'string' as const, enum: ['celsius', 'fahrenheit'] },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
}

const weatherTool = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'Current weather.', parameters: WEATHER_SCHEMA },
}
const timeTool = { type: 'function' as const, function: { name: 'get_time' } }

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox({ clock: { nowMs: () => NOW_MS } })
})
afterAll(() => sandbox.stop())

const SDKS = [
  ['openai 7', (options: { apiKey: string; baseURL: string; maxRetries: number }) => new OpenAi7(options)],
  // The two versions differ in types this test does not touch, so one set of tests can drive both.
  [
    'openai 6',
    (options: { apiKey: string; baseURL: string; maxRetries: number }) =>
      new OpenAi6(options) as unknown as OpenAi7,
  ],
] as const

describe.each(SDKS)('%s', (name, createClient) => {
  let client: OpenAi7
  beforeAll(() => {
    client = createClient({ apiKey: 'sk-sandbox-test', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
  })

  const chat = (content: string) => ({
    model: 'sandbox-chat',
    messages: [{ role: 'user' as const, content }],
  })

  test('lists the models', async () => {
    const models = await Array.fromAsync(client.models.list())
    expect(models.map(({ id }) => id)).toEqual([
      'sandbox-chat',
      'sandbox-reasoner',
      'sandbox-tools',
      'sandbox-slow',
      'sandbox-flaky',
      'sandbox-completion',
      'sandbox-image',
      'sandbox-image-base64',
      'sandbox-embedding',
      'sandbox-rerank',
      'sandbox-moderation',
      'sandbox-transcribe',
      'sandbox-transcribe-tokens',
      'sandbox-speech',
      'sandbox-speech-tokens',
    ])
    expect((await client.models.retrieve('sandbox-chat')).owned_by).toBe('sandbox')
  })

  test('gets a whole answer', async () => {
    const completion = await client.chat.completions.create(chat('Tell me a story'))
    expect(completion.created).toBe(NOW_MS / 1000)
    expect(completion.choices).toHaveLength(1)
    expect(completion.choices[0]).toMatchObject({
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: 'You said: "Tell me a story".', refusal: null },
    })
    expect(completion.usage).toMatchObject({ prompt_tokens: 6, completion_tokens: 7, total_tokens: 13 })
  })

  test('gets the same answer as a stream', async () => {
    const stream = await client.chat.completions.create({
      ...chat('Say: Grüße an alle 😀'),
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(stream)
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
    expect(text).toBe('Grüße an alle 😀')
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null })
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 4 } })
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  })

  test('gets no usage in a stream that did not ask for it', async () => {
    const stream = await client.chat.completions.create({ ...chat('ping'), stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false)
  })

  test('folds a stream into the whole answer', async () => {
    const request = {
      model: 'sandbox-chat',
      n: 2,
      messages: [{ role: 'user' as const, content: 'count to 30' }],
    }
    const folded = await client.chat.completions.stream(request).finalChatCompletion()
    const whole = await client.chat.completions.create(request)
    expect(folded.choices.map(({ message }) => message.content)).toEqual(
      whole.choices.map(({ message }) => message.content),
    )
    expect(folded.choices[0]?.message.content).not.toBe(folded.choices[1]?.message.content)
  })

  test('is cut off at its limit and at stop sequences', async () => {
    const limited = await client.chat.completions.create({
      ...chat('count to 100'),
      max_completion_tokens: 5,
    })
    expect(limited.choices[0]?.finish_reason).toBe('length')
    expect(limited.usage?.completion_tokens).toBe(5)
    const stopped = await client.chat.completions.create({
      ...chat('count to 100'),
      stop: [' 4'],
      max_tokens: 50,
    })
    expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '1 2 3' } })
  })

  test('sees instructions and images', async () => {
    const data = Buffer.alloc(67).toString('base64')
    const completion = await client.chat.completions.create({
      model: 'sandbox-chat',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
            { type: 'image_url', image_url: { url: 'https://example.com/cat.jpg' } },
          ],
        },
      ],
    })
    expect(completion.choices[0]?.message.content).toBe(
      'You said: "What is this?". I see 2 images: image/png of 67 bytes, one by link. I follow 1 instruction.',
    )
  })

  test('gets structured output that fits the schema', async () => {
    const completion = await client.chat.completions.parse({
      ...chat('Weather, please'),
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'weather', schema: WEATHER_SCHEMA, strict: true },
      },
    })
    const value: unknown = JSON.parse(completion.choices[0]?.message.content ?? '')
    expect(Compile(WEATHER_SCHEMA).Check(value)).toBe(true)
    const free = await client.chat.completions.create({
      ...chat('ping'),
      response_format: { type: 'json_object' },
    })
    expect(JSON.parse(free.choices[0]?.message.content ?? '')).toEqual({ reply: 'pong' })
  })

  test('receives reasoning', async () => {
    const request = { ...chat('Why?'), model: 'sandbox-reasoner' }
    const whole = await client.chat.completions.create(request)
    const thought = Reflect.get(whole.choices[0]?.message ?? {}, 'reasoning_content')
    expect(thought).toContain('Let me think about "Why?".')
    expect(whole.usage?.completion_tokens_details?.reasoning_tokens).toBe(Math.ceil(thought.length / 4))
    const chunks = await Array.fromAsync(await client.chat.completions.create({ ...request, stream: true }))
    const deltas = chunks.map(
      (chunk) => Reflect.get(chunk.choices[0]?.delta ?? {}, 'reasoning_content') ?? '',
    )
    expect(deltas.join('')).toBe(thought)
    const plain = await client.chat.completions.create({ ...request, reasoning_effort: 'none' })
    expect(plain.choices[0]?.message).not.toHaveProperty('reasoning_content')
  })

  test('goes through a tool loop', async () => {
    const seen: unknown[] = []
    const runner = client.chat.completions.runTools({
      ...chat('What is the weather?'),
      model: 'sandbox-tools',
      stream: true,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Current weather.',
            parameters: WEATHER_SCHEMA,
            parse: (text: string): object => JSON.parse(text),
            function: (input: object) => {
              seen.push(input)
              return '18 degrees'
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toBe('get_weather returned: 18 degrees')
    expect(seen).toEqual([{ city: 'Paris', unit: 'celsius' }])
  })

  test('respects the choice of tools', async () => {
    const request = { ...chat('Do both in parallel'), model: 'sandbox-tools', tools: [weatherTool, timeTool] }
    const called = async (fields: object) => {
      const completion = await client.chat.completions.create({ ...request, ...fields, stream: false })
      const [choice] = completion.choices
      expect(choice?.finish_reason).toBe(choice?.message.tool_calls === undefined ? 'stop' : 'tool_calls')
      return choice?.message.tool_calls?.map((call) => (call.type === 'function' ? call.function.name : ''))
    }
    expect(await called({})).toEqual(['get_weather', 'get_time'])
    expect(await called({ parallel_tool_calls: false })).toEqual(['get_weather'])
    expect(await called({ tool_choice: 'none' })).toBeUndefined()
    expect(await called({ tool_choice: 'required', parallel_tool_calls: false })).toEqual(['get_weather'])
    expect(await called({ tool_choice: { type: 'function', function: { name: 'get_time' } } })).toEqual([
      'get_time',
    ])
  })

  test('streams two calls at once', async () => {
    const request = { ...chat('Do both in parallel'), model: 'sandbox-tools', tools: [weatherTool, timeTool] }
    const completion = await client.chat.completions.stream(request).finalChatCompletion()
    const [first, second] = completion.choices[0]?.message.tool_calls ?? []
    expect(first).toMatchObject({
      function: { name: 'get_weather', arguments: '{"city":"Paris","unit":"celsius"}' },
    })
    expect(second).toMatchObject({ function: { name: 'get_time', arguments: '{}' } })
    expect(first?.id).not.toBe(second?.id)
  })

  test('reads cached tokens once a long prompt is repeated', async () => {
    const content = `${name} `.repeat(600)
    const first = await client.chat.completions.create(chat(content))
    const second = await client.chat.completions.create(chat(content))
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0)
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThanOrEqual(1024)
  })

  test('sees when the model declines', async () => {
    const refusal = 'I am sorry, but I cannot help with that.'
    const whole = await client.chat.completions.create(chat('Please refuse this'))
    const folded = await client.chat.completions.stream(chat('Please refuse this')).finalChatCompletion()
    for (const { choices } of [whole, folded]) {
      expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: null, refusal } })
    }
    const exact = await client.chat.completions.create(chat('Say: I refuse'))
    expect(exact.choices[0]?.message).toMatchObject({ content: 'I refuse', refusal: null })
  })

  test('sees images of tool results that follow in a separate turn', async () => {
    const url = `data:image/gif;base64,${Buffer.alloc(9).toString('base64')}`
    const call = { id: 'c1', type: 'function' as const, function: { name: 'camera', arguments: '{}' } }
    const completion = await client.chat.completions.create({
      model: 'sandbox-tools',
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'see below' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
      ],
      tools: [weatherTool],
    })
    expect(completion.choices[0]?.message.content).toBe(
      'camera returned: see below\nI see 1 image: image/gif of 9 bytes.',
    )
  })

  test('gets the errors OpenAI would send', async () => {
    const stranger = createClient({ apiKey: 'sk-real', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
    expect(await failure(stranger.chat.completions.create(chat('Hi')))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    })
    const unknown = { ...chat('Hi'), model: 'gpt-9' }
    expect(await failure(client.chat.completions.create(unknown))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    })
    const painter = { ...chat('Hi'), model: 'sandbox-image' }
    expect(await failure(client.chat.completions.create(painter))).toMatchObject({
      status: 400,
      param: 'model',
    })
  })
})

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('The call succeeded.')
}
