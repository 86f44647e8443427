import { describe, expect, test } from 'bun:test'
import { CHAT_FORMATS, type ChatFormat, type Question, type Turn } from './question.ts'
import { addCalls, type CallPiece, readPiece, readWholeAnswer } from './read-answer.ts'
import { readEvents } from './read-events.ts'
import { writeRequest } from './write-request.ts'

const QUESTION: Question = {
  format: 'chat-completion',
  model: 'acme/m-1',
  system: 'Be brief.',
  turns: [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: 'Hello' },
    { role: 'user', text: 'Bye' },
  ],
  temperature: 0.2,
  maxTokens: 100,
  effort: '',
  isStreamed: true,
}

describe('writeRequest', () => {
  test('chat-completion', () => {
    expect(writeRequest(QUESTION)).toEqual({
      path: '/v1/chat/completions',
      body: {
        model: 'acme/m-1',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: 'Bye' },
        ],
        temperature: 0.2,
        max_completion_tokens: 100,
        stream: true,
        stream_options: { include_usage: true },
      },
    })
  })

  test('messages adds the thinking budget to the limit and omits the temperature', () => {
    const { body } = writeRequest({ ...QUESTION, format: 'messages', effort: 'low', isStreamed: false })
    expect(body).toMatchObject({ max_tokens: 1_124, thinking: { type: 'enabled', budget_tokens: 1_024 } })
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('stream')
  })

  test('content-generation keeps slashes of the model in its path', () => {
    const { path, body } = writeRequest({ ...QUESTION, format: 'content-generation' })
    expect(path).toBe('/v1beta/models/acme/m-1:streamGenerateContent?alt=sse')
    expect(body).not.toHaveProperty('model')
    expect(body).toMatchObject({ systemInstruction: { parts: [{ text: 'Be brief.' }] } })
  })

  test('omits empty settings', () => {
    const bare = { ...QUESTION, system: '', temperature: null, maxTokens: null, isStreamed: false }
    expect(Object.keys(writeRequest(bare).body)).toEqual(['model', 'messages'])
    const content = writeRequest({ ...bare, format: 'content-generation' })
    expect(Object.keys(content.body)).toEqual(['contents'])
  })
})

async function eventsOf(chunks: readonly string[]) {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
      controller.close()
    },
  })
  return Array.fromAsync(readEvents(body))
}

describe('readEvents', () => {
  test('reads events across chunk boundaries and skips heartbeats', async () => {
    const text = ': ka\n\nevent: a\ndata: {"x":1}\n\ndata: one\ndata: two\r\n\r\n'
    const whole = [
      { name: 'a', data: '{"x":1}' },
      { name: null, data: 'one\ntwo' },
    ]
    expect(await eventsOf([text])).toEqual(whole)
    expect(await eventsOf(text.split(''))).toEqual(whole)
  })

  test('drops an incomplete event', async () => {
    expect(await eventsOf(['data: one\n\ndata: tw'])).toEqual([{ name: null, data: 'one' }])
  })
})

describe('readPiece', () => {
  test('finds text, thinking and the end in every format', () => {
    const chat = (data: object) => readPiece('chat-completion', JSON.stringify(data))
    expect(chat({ choices: [{ delta: { content: 'a' } }] }).text).toBe('a')
    expect(chat({ choices: [{ delta: { reasoning_content: 'b' } }] }).thought).toBe('b')
    expect(readPiece('chat-completion', '[DONE]').isLast).toBe(true)

    const responses = (data: object) => readPiece('responses', JSON.stringify(data))
    expect(responses({ type: 'response.output_text.delta', delta: 'a' }).text).toBe('a')
    expect(responses({ type: 'response.reasoning_summary_text.delta', delta: 'b' }).thought).toBe('b')
    expect(responses({ type: 'response.function_call_arguments.delta', delta: '{' }).text).toBe('')
    expect(responses({ type: 'response.completed' }).isLast).toBe(true)

    const messages = (data: object) => readPiece('messages', JSON.stringify(data))
    expect(messages({ type: 'content_block_delta', delta: { text: 'a' } }).text).toBe('a')
    expect(messages({ type: 'content_block_delta', delta: { thinking: 'b' } }).thought).toBe('b')
    expect(messages({ type: 'message_stop' }).isLast).toBe(true)

    const parts = [{ text: 'b', thought: true }, { text: 'a' }]
    const content = { candidates: [{ content: { parts }, finishReason: 'STOP' }] }
    const piece = readPiece('content-generation', JSON.stringify(content))
    expect(piece).toEqual({ text: 'a', thought: 'b', calls: [], failure: null, isLast: true })
  })

  test('reports errors inside a stream and ignores unknown events', () => {
    const error = JSON.stringify({ type: 'error', error: { message: 'gone', code: 'provider_error' } })
    for (const format of ['chat-completion', 'responses', 'messages', 'content-generation'] as const) {
      expect(readPiece(format, error).failure).toBe('gone')
      expect(readPiece(format, 'nonsense')).toMatchObject({ text: '', failure: null, isLast: false })
      expect(readPiece(format, '{"candidates":null,"choices":[],"delta":7}').text).toBe('')
    }
  })
})

test('readWholeAnswer joins the parts of a response', () => {
  const chat = { choices: [{ message: { content: 'a', reasoning_content: 'b' } }] }
  expect(readWholeAnswer('chat-completion', JSON.stringify(chat))).toMatchObject({ text: 'a', thought: 'b' })
  const responses = {
    error: null,
    output: [
      { type: 'reasoning', summary: [{ text: 'b' }] },
      { type: 'message', content: [{ text: 'a' }] },
    ],
  }
  expect(readWholeAnswer('responses', JSON.stringify(responses))).toMatchObject({ text: 'a', thought: 'b' })
  const messages = {
    content: [
      { type: 'thinking', thinking: 'b' },
      { type: 'text', text: 'a' },
    ],
  }
  expect(readWholeAnswer('messages', JSON.stringify(messages))).toMatchObject({ text: 'a', thought: 'b' })
})

const CALL = { id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' }

describe('tools', () => {
  /** The calls in a stream with these events. */
  const readCalls = (format: ChatFormat, events: readonly object[]) =>
    events.reduce<readonly CallPiece[]>(
      (calls, event) => addCalls(calls, readPiece(format, JSON.stringify(event)).calls),
      [],
    )

  test('calls are put together from their parts', () => {
    const chat = (call: object) => ({ choices: [{ delta: { tool_calls: [call] } }] })
    const chatCalls = readCalls('chat-completion', [
      chat({ index: 0, id: 'c1', function: { name: 'weather', arguments: '' } }),
      chat({ index: 1, id: 'c2', function: { name: 'time', arguments: '{' } }),
      chat({ index: 0, function: { arguments: '{"city":' } }),
      chat({ index: 0, function: { arguments: '"Oslo"}' } }),
      chat({ index: 1, function: { arguments: '}' } }),
    ])
    expect(chatCalls).toMatchObject([CALL, { id: 'c2', name: 'time', arguments: '{}' }])

    const item = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: CALL.arguments }
    const done = { type: 'response.output_item.done', item }
    expect(readCalls('responses', [done, { ...done, item: { type: 'message' } }])).toMatchObject([CALL])

    // The text before them has the index 0.
    const block = (index: number, id: string) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name: 'weather', input: {} },
    })
    const delta = (index: number, partial_json: string) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    })
    const messages = [
      block(1, 'c1'),
      delta(1, '{"city":'),
      delta(1, '"Oslo"}'),
      block(2, 'c2'),
      delta(2, '{}'),
    ]
    expect(readCalls('messages', messages)).toMatchObject([CALL, { id: 'c2', arguments: '{}' }])

    const parts = [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }]
    const content = { candidates: [{ content: { parts } }] }
    expect(readCalls('content-generation', [content, content])).toMatchObject([
      { ...CALL, id: 'call_1' },
      { ...CALL, id: 'call_2' },
    ])
  })

  test('calls are found in a response that was not streamed', () => {
    const input = { city: 'Oslo' }
    const bodies: Readonly<Record<ChatFormat, object>> = {
      'chat-completion': {
        choices: [{ message: { tool_calls: [{ id: 'c1', function: { ...CALL } }] } }],
      },
      responses: { output: [{ type: 'function_call', call_id: 'c1', ...CALL }] },
      messages: { content: [{ type: 'tool_use', id: 'c1', name: 'weather', input }] },
      'content-generation': {
        candidates: [{ content: { parts: [{ functionCall: { id: 'c1', name: 'weather', args: input } }] } }],
      },
    }
    for (const format of CHAT_FORMATS) {
      expect(addCalls([], readWholeAnswer(format, JSON.stringify(bodies[format])).calls)).toMatchObject([
        CALL,
      ])
    }
  })

  test('calls and their results are written as each format has them', () => {
    const turns: Turn[] = [
      { role: 'assistant', text: '', calls: [CALL] },
      { role: 'tool', results: [{ call: CALL, output: 'rain' }] },
    ]
    const parameters = { type: 'object' }
    const tools = [{ name: 'weather', description: '', parameters }]
    const write = (format: ChatFormat) => writeRequest({ ...QUESTION, system: '', format, turns, tools }).body
    expect(write('chat-completion')).toMatchObject({
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function' }] },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    })
    expect(write('responses')).toMatchObject({
      input: [
        { type: 'function_call', call_id: 'c1', arguments: CALL.arguments },
        { type: 'function_call_output', call_id: 'c1', output: 'rain' },
      ],
      tools: [{ type: 'function', name: 'weather', parameters }],
    })
    expect(write('messages')).toMatchObject({
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', input: { city: 'Oslo' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }] },
      ],
      tools: [{ name: 'weather', input_schema: parameters }],
    })
    expect(write('content-generation')).toMatchObject({
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { result: 'rain' } } }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] }],
    })
  })
})

test('files are written as each format has them, and texts stand in the message', () => {
  const image = { kind: 'image', name: 'a.png', type: 'image/png', data: 'AAAA' } as const
  const pdf = { kind: 'pdf', name: 'b.pdf', type: 'application/pdf', data: 'BBBB' } as const
  const notes = { kind: 'text', name: 'c.txt', type: 'text/plain', data: 'hello' } as const
  const turns: Turn[] = [{ role: 'user', text: 'Look', files: [image, pdf, notes] }]
  const write = (format: ChatFormat) => JSON.stringify(writeRequest({ ...QUESTION, format, turns }).body)
  for (const format of CHAT_FORMATS) {
    expect(write(format)).toContain('AAAA')
    expect(write(format)).toContain('BBBB')
    expect(write(format)).toContain('File c.txt:\\n\\nhello\\n\\nLook')
  }
  expect(write('chat-completion')).toContain('{"url":"data:image/png;base64,AAAA"}')
  expect(write('messages')).toContain('"media_type":"application/pdf","data":"BBBB"')
})

test('a schema of the response is written as each format has it', () => {
  const schema = { type: 'object' }
  const write = (format: ChatFormat) => writeRequest({ ...QUESTION, format, schema }).body
  expect(write('chat-completion')).toMatchObject({ response_format: { json_schema: { schema } } })
  expect(write('responses')).toMatchObject({ text: { format: { type: 'json_schema', schema } } })
  expect(write('messages')).toMatchObject({ output_config: { format: { type: 'json_schema', schema } } })
  expect(write('content-generation')).toMatchObject({
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  })
})
