import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { grammarFaults } from '../../../../test/support/normal-form.ts'
import type { Answer } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { fold } from '../../../conversation/fold.ts'
import { textPart } from '../../../conversation/part.ts'
import { DEFAULT_TRAITS } from '../../../vocabulary/runtime/traits.ts'
import type { SupplyContext } from '../../translation.ts'
import { decodeReply } from '../reply/decode-reply.ts'
import { GenerationDecoder } from './decode-stream.ts'

const context: SupplyContext = {
  upstreamModel: 'deep-1',
  route: 'sup_1',
  traits: DEFAULT_TRAITS,
  outputTokenLimit: null,
}

function readCase(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, '..', 'cases', name))
}

function decode(pieces: readonly Uint8Array[]) {
  const decoder = new GenerationDecoder(context)
  const events: AnswerEvent[] = pieces.flatMap((piece) => decoder.push(piece))
  events.push(...decoder.end())
  return { events, failure: decoder.failure }
}

function decodeCase(name: string): Answer {
  const { events, failure } = decode([readCase(name)])
  expect(failure).toBeNull()
  expect(grammarFaults(events)).toEqual([])
  return fold(events)
}

const USAGE = { input: 5, cacheRead: 4, cacheWrite: 0, output: 25, reasoning: 20, images: 0 }
const STOP = { reason: 'stop', stopSequence: null, explanation: null } as const
const HELLO = { type: 'text', text: 'Hello, wörld 😀', cache: null, citations: [], proof: null } as const

function proofOf(on: string, value: string) {
  return { origin: 'content-generation', model: 'deep-1', route: 'sup_1', on, value, itemId: null }
}

describe('a stream is decoded', () => {
  for (const name of ['text.stream.sse', 'crlf.stream.sse', 'list.stream.json', 'whole.stream.json']) {
    test(name, () => {
      expect(decodeCase(name)).toEqual({
        id: 'resp-1',
        choices: [{ index: 0, parts: [HELLO], finish: STOP, logprobs: null }],
        usage: USAGE,
      })
    })
  }

  test('thinking, text and calls with and without ids', () => {
    const { choices } = decodeCase('thinking-tools.stream.sse')
    const [choice] = choices
    const call = { type: 'tool-call', kind: 'function', namespace: null }
    const generatedId = expect.stringMatching(/^call_[0-9a-f]{24}$/)
    expect(choice?.parts).toEqual([
      { type: 'thinking', text: 'I need two calls.', proof: null, isRedacted: false },
      { ...HELLO, text: 'Let me see.' },
      {
        ...call,
        id: 'call_a',
        name: 'get_weather',
        input: '{"city":"Zürich"}',
        proof: proofOf('tool-call', 'c2lnLWE='),
      },
      { ...call, id: generatedId, name: 'get_time', input: '{}', proof: null },
      { ...call, id: generatedId, name: 'get_time', input: '{}', proof: null },
    ] as never)
    expect(choice?.finish.reason).toBe('tool-call')
    const ids = choice?.parts.map((part) => ('id' in part ? part.id : ''))
    expect(ids?.[3]).not.toBe(ids?.[4])
    expect(decodeCase('thinking-tools.stream.sse').choices).toEqual(choices)
  })

  test('attaches a late signature to the text before it', () => {
    const [choice] = decodeCase('late-signature.stream.sse').choices
    expect(choice?.parts).toEqual([{ ...HELLO, text: 'Done.', proof: proofOf('text', 'bGF0ZQ==') }] as never)
  })

  test('keeps a signature without a part as an empty thought', () => {
    const [choice] = decodeCase('signature-only.stream.sse').choices
    expect(choice?.parts).toEqual([
      { type: 'thinking', text: 'plan', proof: null, isRedacted: false },
      { type: 'thinking', text: '', proof: proofOf('text', 'b25seQ=='), isRedacted: false },
    ] as never)
    expect(choice?.finish.reason).toBe('length')
  })

  test('decodes a blocked prompt as an empty, filtered answer', () => {
    expect(decodeCase('blocked.stream.sse')).toEqual({
      id: 'resp-1',
      choices: [
        {
          index: 0,
          parts: [],
          finish: { reason: 'filter', stopSequence: null, explanation: 'PROHIBITED_CONTENT' },
          logprobs: null,
        },
      ],
      usage: { input: 9, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, images: 0 },
    })
  })

  test('interleaved candidates', () => {
    const { choices } = decodeCase('two-candidates.stream.sse')
    const said = choices.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
    expect(said).toEqual([['one more'], ['eins!']])
    expect(choices.map(({ finish }) => finish.reason)).toEqual(['length', 'stop'])
  })

  test('stops at an error event', () => {
    const { events, failure } = decode([readCase('error.stream.sse')])
    expect(failure).toMatchObject({ kind: 'overloaded', status: 503, message: 'The model is overloaded.' })
    expect(events.some(({ type }) => type === 'answer-end')).toBe(false)
  })

  test('fails when the stream is truncated', () => {
    const whole = readCase('text.stream.sse')
    const { failure, events } = decode([whole.subarray(0, whole.length - 250)])
    expect(failure?.kind).toBe('malformed')
    expect(events.some(({ type }) => type === 'choice-end')).toBe(false)
    expect(decode([]).failure?.kind).toBe('malformed')
  })

  test('reads a last event without its blank line', () => {
    const whole = readCase('text.stream.sse')
    expect(decode([whole.subarray(0, whole.length - 2)])).toEqual(decode([whole]))
  })

  test('skips comments and the end marker of other formats', () => {
    const text = new TextDecoder().decode(readCase('text.stream.sse'))
    const noisy = new TextEncoder().encode(`: hello\n\n${text}data: [DONE]\n\n`)
    expect(decode([noisy])).toEqual(decode([readCase('text.stream.sse')]))
  })

  test('fails on bytes that are not a stream', () => {
    for (const text of ['<html>busy</html>\n\n', 'data: 7\n\n', 'data: {"a":\n\n', '[1,2]'])
      expect(decode([new TextEncoder().encode(text)]).failure?.kind).toBe('malformed')
  })

  test('emits nothing after a failure', () => {
    const decoder = new GenerationDecoder(context)
    decoder.push(readCase('error.stream.sse'))
    expect([...decoder.push(readCase('text.stream.sse')), ...decoder.end()]).toEqual([])
  })
})

describe('decodes the same events however the bytes are split', () => {
  const names = ['text.stream.sse', 'crlf.stream.sse', 'list.stream.json', 'thinking-tools.stream.sse']
  for (const name of [...names, 'two-candidates.stream.sse', 'late-signature.stream.sse']) {
    test(name, () => {
      const bytes = readCase(name)
      const whole = decode([bytes])
      for (let cut = 1; cut < bytes.length; cut++)
        expect(decode([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole)
      const single = [...bytes].map((byte) => Uint8Array.of(byte))
      expect(decode(single)).toEqual(whole)
    })
  }
})

describe('a whole reply is decoded', () => {
  test('converts source offsets from bytes to characters', () => {
    const body: unknown = JSON.parse(new TextDecoder().decode(readCase('grounded.reply.json')))
    const answer = decodeReply(body, context)
    const [part] = answer?.choices[0]?.parts ?? []
    const text = 'Größe zählt. Wirklich 😀.'
    const first = { citedText: 'Größe zählt.', start: 0, end: 12 }
    expect(part).toEqual({
      ...HELLO,
      text,
      citations: [
        { url: 'https://a.example/x', title: 'a.example', ...first },
        { url: 'https://b.example/y', title: null, ...first },
        { url: 'https://b.example/y', title: null, citedText: text.slice(13), start: 13, end: text.length },
      ],
    } as never)
    expect(answer?.usage).toEqual({ ...USAGE, input: 8 })
  })

  test('decodes images, and keeps parts that only this format has', () => {
    const parts = [
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { text: 'x', somethingNew: true },
    ]
    const answer = decodeReply({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }, context)
    expect(answer?.choices[0]?.parts.map(({ type }) => type)).toEqual(['image', 'opaque', 'text'])
    expect(answer?.choices[0]?.parts[1]).toEqual({
      type: 'opaque',
      format: 'content-generation',
      kind: 'executableCode',
      value: parts[1],
    })
  })

  test('gives calls of answers without an id unique ids', () => {
    const body = {
      candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] }, finishReason: 'STOP' }],
    }
    const ids = [decodeReply(body, context), decodeReply(body, context)].map((answer) => {
      const [part] = answer?.choices[0]?.parts ?? []
      return part?.type === 'tool-call' ? part.id : ''
    })
    expect(ids[0]).toMatch(/^call_/)
    expect(ids[0]).not.toBe(ids[1])
  })

  test('ignores a support with an invalid index', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.example' } }],
      groundingSupports: [{ segment: { endIndex: 1 }, groundingChunkIndices: [{ toString: 1 }, null, '0'] }],
    }
    const content = { parts: [{ text: 'a' }] }
    const answer = decodeReply(
      { candidates: [{ content, finishReason: 'STOP', groundingMetadata }] },
      context,
    )
    const citation = { url: 'https://a.example', title: null, citedText: null, start: null, end: null }
    expect(answer?.choices[0]?.parts).toMatchObject([{ text: 'a', citations: [citation] }])
  })

  test('log probabilities', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', tokenId: 1, logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'b', logProbability: -1 }, { token: 'c' }] }],
    }
    const content = { parts: [{ text: 'a' }] }
    const answer = decodeReply({ candidates: [{ content, finishReason: 'STOP', logprobsResult }] }, context)
    expect(answer?.choices[0]?.logprobs).toEqual([
      { token: 'a', logprob: -0.5, top: [{ token: 'b', logprob: -1 }] },
    ])
  })

  test('reads a complete JSON array of chunks as a reply', () => {
    const first = { candidates: [{ content: { parts: [{ text: 'He' }] } }] }
    const last = { candidates: [{ content: { parts: [{ text: 'y' }] }, finishReason: 'STOP' }] }
    expect(decodeReply([first, last], context)?.choices[0]?.parts).toEqual([textPart('Hey')])
    for (const list of [[first], [first, 7], [first, last, { error: { code: 503 } }]])
      expect(decodeReply(list, context)).toBeNull()
  })

  test('returns null for anything else', () => {
    const others = [null, 7, [], {}, { candidates: [] }, { candidates: [7] }, { error: { code: 400 } }]
    for (const body of [...others, { promptFeedback: {} }]) expect(decodeReply(body, context)).toBeNull()
  })
})
