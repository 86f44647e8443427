import { expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { errorEnvelope } from '../../errors/render-error.ts'
import { messages } from './index.ts'

const ERROR = new GatewayError('invalid_request', 'max_tokens is required.', { param: 'max_tokens' })

test('wraps the error envelope as official clients expect', () => {
  expect(messages.dressError?.(errorEnvelope(ERROR), 'req_1')).toEqual({
    type: 'error',
    error: {
      message: 'max_tokens is required.',
      type: 'invalid_request',
      code: 'invalid_request',
      param: 'max_tokens',
    },
    request_id: 'req_1',
  })
})

test('sends ping events as heartbeat', () =>
  expect(messages.heartbeat).toBe('event: ping\ndata: {"type":"ping"}\n\n'))

test('reads usage and output characters of a reply', () => {
  const content = [
    { type: 'thinking', thinking: 'ab', signature: 'long' },
    { type: 'text', text: 'cde' },
    { type: 'tool_use', id: 'x', name: 'fg', input: { h: 1 } },
    { type: 'web_search_tool_result', content: [] },
  ]
  const usage = {
    input_tokens: 3,
    cache_read_input_tokens: 2,
    cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 1 },
    output_tokens: 6,
  }
  expect(messages.readReply({ type: 'message', content, usage })).toEqual({
    usage: {
      input: 3,
      cacheRead: 2,
      cacheWrite: 5,
      output: 6,
      reasoning: 0,
      images: 0,
      details: { cacheWrite1h: 1 },
    },
    outputCharacters: 2 + 3 + 2 + 8,
  })
  for (const body of [
    null,
    {},
    { content: 'x' },
    { content: [7] },
    { type: 'error', error: {}, content: [] },
  ]) {
    expect(messages.readReply(body)).toBeNull()
    expect(
      messages.supplier?.decodeReply(body, {
        upstreamModel: 'u',
        route: 'r',
        traits: messages.supplier.traits,
        outputTokenLimit: null,
      }),
    ).toBeNull()
  }
})
