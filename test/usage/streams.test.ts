import { describe, expect, test } from 'bun:test'
import { fold } from '../../src/conversation/fold.ts'
import { NO_USAGE, type Usage } from '../../src/conversation/usage.ts'
import { protocolOf } from '../../src/protocols/index.ts'
import type { Format } from '../../src/vocabulary/supply.ts'

interface Stream {
  readonly name: string
  readonly format: Format
  readonly request: object
  readonly events: readonly object[]
  readonly used: Partial<Usage>
}

const SEARCH = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } }

const STREAMS: readonly Stream[] = [
  {
    name: 'chat: the tier stands beside the usage',
    format: 'chat-completion',
    request: { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true },
    events: [
      { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
      {
        id: 'c',
        choices: [],
        service_tier: 'flex',
        usage: {
          prompt_tokens: 9,
          completion_tokens: 5,
          total_tokens: 14,
          completion_tokens_details: { audio_tokens: 3 },
        },
      },
    ],
    used: { input: 9, output: 5, details: { audioOutput: 3, serviceTier: 'flex' } },
  },
  {
    name: 'responses: hosted calls count when the last event has no output',
    format: 'responses',
    request: { model: 'm', input: 'x', stream: true },
    events: [
      { type: 'response.created', response: { id: 'r', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...SEARCH, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item: SEARCH },
      {
        type: 'response.completed',
        response: {
          id: 'r',
          status: 'completed',
          output: [],
          service_tier: 'priority',
          usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
        },
      },
    ],
    used: { input: 9, output: 5, details: { webSearches: 1, serviceTier: 'priority' } },
  },
  {
    name: 'messages: lifetimes come first, searches last',
    format: 'messages',
    request: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], stream: true },
    events: [
      {
        type: 'message_start',
        message: {
          id: 'msg',
          usage: {
            input_tokens: 3,
            cache_creation_input_tokens: 20,
            cache_read_input_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
            output_tokens: 1,
            service_tier: 'priority',
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 7, server_tool_use: { web_search_requests: 2 } },
      },
      { type: 'message_stop' },
    ],
    used: {
      input: 3,
      cacheWrite: 20,
      output: 7,
      details: { cacheWrite1h: 15, webSearches: 2, serviceTier: 'priority' },
    },
  },
  {
    name: 'content generation: each question counts once, in whichever chunk it comes',
    format: 'content-generation',
    request: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
    events: [
      {
        candidates: [
          {
            content: { role: 'model', parts: [{ text: 'Hi' }] },
            groundingMetadata: { webSearchQueries: ['a', 'b', ''] },
          },
        ],
      },
      {
        candidates: [{ finishReason: 'STOP', groundingMetadata: { webSearchQueries: ['b'] } }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
      },
    ],
    used: { input: 9, output: 5, details: { webSearches: 2 } },
  },
]

function bytesOf({ format, events }: Stream): Uint8Array {
  const frames = events.map((event) => {
    const name = format === 'messages' && 'type' in event ? `event: ${event.type}\n` : ''
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  const end = format === 'chat-completion' ? 'data: [DONE]\n\n' : ''
  return new TextEncoder().encode(frames.join('') + end)
}

describe.each(STREAMS)('$name', (stream) => {
  const protocol = protocolOf(stream.format)
  const usage = { ...NO_USAGE, ...stream.used }

  test('relayed', () => {
    const address = { rest: 'm:streamGenerateContent', query: new URLSearchParams('alt=sse') }
    const tap = protocol?.readRequest(stream.request, JSON.stringify(stream.request), address).openTap()
    tap?.push(bytesOf(stream))
    tap?.end()
    expect(tap?.usage).toEqual(usage)
  })

  test('translated', () => {
    const supplier = protocol?.supplier
    if (!supplier) throw new Error(`no suppliers of ${stream.format}`)
    const { traits } = supplier
    const decoder = supplier.openDecoder({ upstreamModel: 'm', route: 'r', traits, outputTokenLimit: null })
    const events = [...decoder.push(bytesOf(stream)), ...decoder.end()]
    expect(decoder.failure).toBeNull()
    expect(fold(events).usage).toEqual(usage)
  })
})
