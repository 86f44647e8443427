import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { grammarFaults } from '../../../../test/support/normal-form.ts'
import { usageFaults } from '../../../../test/support/usage-faults.ts'
import type { Answer } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { fold } from '../../../conversation/fold.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { MessagesStreamDecoder } from './decode-stream.ts'

const CASES = join(import.meta.dirname, '..', 'cases')
const ORIGIN = { upstreamModel: 'deep-1', route: 'sup_1' }
const STREAMS = readdirSync(CASES)
  .filter((name) => name.endsWith('.stream.sse'))
  .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(CASES, name))) }))

interface Decoded {
  readonly events: readonly AnswerEvent[]
  readonly failure: SupplierFailure | null
}

function decode(...pieces: readonly Uint8Array[]): Decoded {
  const decoder = new MessagesStreamDecoder(ORIGIN)
  const events = pieces.flatMap((piece) => decoder.push(piece))
  events.push(...decoder.end())
  return { events, failure: decoder.failure }
}

const decodeText = (text: string) => decode(new TextEncoder().encode(text))
const event = (data: { readonly type: string; readonly [name: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const START = event({ type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 3 } } })
const STOP = event({ type: 'message_stop' })

const USAGE = { input: 25, cacheRead: 0, cacheWrite: 0, output: 7, reasoning: 0, images: 0 }
const proof = { origin: 'messages', model: 'deep-1', route: 'sup_1', on: 'thinking', itemId: null } as const
const text = { type: 'text', cache: null, citations: [], proof: null } as const
const call = { type: 'tool-call', kind: 'function', namespace: null, proof: null } as const
const ended = (reason: Answer['choices'][0]['finish']['reason']) => ({
  reason,
  stopSequence: null,
  explanation: null,
})

const ANSWERS: Readonly<Record<string, Omit<Answer, 'id'>>> = {
  'text.stream.sse': {
    usage: USAGE,
    choices: [{ index: 0, logprobs: null, finish: ended('stop'), parts: [{ ...text, text: 'Hello' }] }],
  },
  'thinking-tools.stream.sse': {
    usage: { input: 10, cacheRead: 8, cacheWrite: 1, output: 42, reasoning: 5, images: 0 },
    choices: [
      {
        index: 0,
        logprobs: null,
        finish: ended('tool-call'),
        parts: [
          { type: 'thinking', text: 'Let me see', proof: { ...proof, value: 'EqQBsig' }, isRedacted: false },
          { ...text, text: 'Looking.' },
          { ...call, id: 'toolu_1', name: 'f', input: '{"x": 1}' },
          { ...call, id: 'toolu_2', name: 'g', input: '{}' },
        ],
      },
    ],
  },
  'server-tool.stream.sse': {
    usage: { ...USAGE, input: 30, output: 9, details: { webSearches: 1 } },
    choices: [
      {
        index: 0,
        logprobs: null,
        finish: ended('stop'),
        parts: [
          { type: 'thinking', text: '', proof: { ...proof, value: 'ENCRYPTED' }, isRedacted: true },
          {
            type: 'opaque',
            format: 'messages',
            kind: 'server_tool_use',
            value: {
              type: 'server_tool_use',
              id: 'srvtoolu_1',
              name: 'web_search',
              input: { query: 'weather' },
            },
          },
          {
            type: 'opaque',
            format: 'messages',
            kind: 'web_search_tool_result',
            value: {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [
                { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'EC' },
              ],
            },
          },
          {
            ...text,
            text: 'Sunny.',
            citations: [{ url: 'https://a.example', title: 'A', citedText: 'sun', start: null, end: null }],
          },
        ],
      },
    ],
  },
  'multi-byte-crlf.stream.sse': {
    usage: USAGE,
    choices: [
      {
        index: 0,
        logprobs: null,
        finish: { reason: 'stop-sequence', stopSequence: 'END', explanation: null },
        parts: [{ ...text, text: 'naïve 日本語 😀say "event: error" \\ \nplain 漢😀' }],
      },
    ],
  },
  'refusal-late-words.stream.sse': {
    usage: { ...USAGE, output: 3 },
    choices: [
      {
        index: 0,
        logprobs: null,
        finish: { reason: 'filter', stopSequence: null, explanation: 'Not that.' },
        parts: [],
      },
    ],
  },
  'interleaved-unclosed.stream.sse': {
    usage: USAGE,
    choices: [
      {
        index: 0,
        logprobs: null,
        finish: ended('tool-call'),
        parts: [
          { ...call, id: 'toolu_1', name: 'f', input: '{"a":1}' },
          { ...call, id: 'toolu_2', name: 'g', input: '{}' },
          { ...text, text: 'And' },
        ],
      },
    ],
  },
}

describe('golden streams', () => {
  for (const { name, bytes } of STREAMS) {
    test(`${name}: the answer, by the grammar`, () => {
      const { events, failure } = decode(bytes)
      expect(failure).toBeNull()
      expect(grammarFaults(events)).toEqual([])
      expect(fold(events)).toEqual({ id: 'msg_1', ...(ANSWERS[name] ?? { usage: null, choices: [] }) })
    })

    test(`${name}: cut at every byte position`, () => {
      const whole = decode(bytes)
      for (let at = 0; at <= bytes.length; at++) {
        expect(decode(bytes.slice(0, at), bytes.slice(at))).toEqual(whole)
      }
    })

    test(`${name}: truncated at every byte position, it fails or is complete, and emits nothing extra`, () => {
      const whole = decode(bytes)
      for (let at = 0; at < bytes.length; at++) {
        const { events, failure } = decode(bytes.slice(0, at))
        const isWhole = events.at(-1)?.type === 'answer-end'
        expect(failure === null).toBe(isWhole)
        expect(events).toEqual(whole.events.slice(0, events.length))
      }
    })
  }
})

describe('odd suppliers', () => {
  test('reads frames without names, a second start, and content before the start', () => {
    const nameless = (data: object) => `data: ${JSON.stringify(data)}\n\n`
    const { events, failure } = decodeText(
      nameless({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'He' } }) +
        START +
        START +
        nameless({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'y' } }) +
        'data: [DONE]\n\n' +
        STOP,
    )
    expect(failure).toBeNull()
    expect(grammarFaults(events)).toEqual([])
    expect(fold(events).choices[0]).toMatchObject({ parts: [{ text: 'Hey' }], finish: { reason: 'other' } })
  })

  test('stops at an error event', () => {
    const error = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
    const { events, failure } = decodeText(START + error + STOP)
    expect(failure).toMatchObject({ kind: 'overloaded', message: 'Overloaded' })
    expect(events.map(({ type }) => type)).toEqual(['answer-start', 'usage'])
  })

  const block = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  const broken: Readonly<Record<string, string>> = {
    'bytes that are no event': '<html></html>\n\n',
    'half an object': 'event: ping\ndata: {"type":\n\n',
    'a delta of no block': event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta' } }),
    'a stop of no block': event({ type: 'content_block_stop', index: 4 }),
    'a block without a kind': event({ type: 'content_block_start', index: 0 }),
    'a block opened twice': block + block,
    'the delta of another kind':
      block +
      event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'x' } }),
  }
  for (const [name, bytes] of Object.entries(broken)) {
    test(`${name} is malformed`, () => {
      const { events, failure } = decodeText(START + bytes + STOP)
      expect(failure?.kind).toBe('malformed')
      expect(events.at(-1)?.type).not.toBe('answer-end')
    })
  }

  test('never throws on mutated streams', () => {
    const seen = { failed: 0, decoded: 0 }
    const mutation = fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 255 }))
    const stream = fc.constantFrom(...STREAMS)
    fc.assert(
      fc.property(stream, fc.array(mutation, { minLength: 1, maxLength: 4 }), ({ bytes }, mutations) => {
        const changed = bytes.slice()
        for (const [at, byte] of mutations) changed[at % changed.length] = byte
        const { events, failure } = decode(changed)
        seen[failure === null ? 'decoded' : 'failed']++
        if (failure === null) expect(grammarFaults(events)).toEqual([])
        for (const each of events) {
          if (each.type === 'usage') expect(usageFaults(each.usage)).toEqual([])
        }
      }),
      { numRuns: 1500, seed: 21 },
    )
    expect(Math.min(seen.failed, seen.decoded)).toBeGreaterThan(50)
  })
})
