import { describe, expect, test } from 'bun:test'
import { readPiece, readWholeAnswer } from './read-answer.ts'
import { readEvents } from './read-events.ts'
import { type Question, writeRequest } from './write-request.ts'

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
    expect(piece).toEqual({ text: 'a', thought: 'b', failure: null, isLast: true })
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
