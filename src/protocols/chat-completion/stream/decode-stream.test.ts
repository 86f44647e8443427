import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { grammarFaults } from '../../../../test/support/normal-form.ts'
import { supplyContext } from '../../../../test/support/translation-contexts.ts'
import type { Answer, AnswerPart } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { fold } from '../../../conversation/fold.ts'
import { textPart } from '../../../conversation/part.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { CHAT_TRAITS } from '../format.ts'
import { decodeReply } from '../reply/decode-reply.ts'
import { ChatStreamDecoder } from './decode-stream.ts'

const CASES = join(import.meta.dirname, '../cases')
const STREAMS = readdirSync(CASES).filter((name) => name.endsWith('.stream.sse'))
const context = supplyContext({}, CHAT_TRAITS)
const encoder = new TextEncoder()

interface Decoded {
  readonly events: readonly AnswerEvent[]
  readonly failure: SupplierFailure | null
}

function decode(...pieces: (string | Uint8Array)[]): Decoded {
  const decoder = new ChatStreamDecoder(context)
  const events = pieces.flatMap((piece) =>
    decoder.push(typeof piece === 'string' ? encoder.encode(piece) : piece),
  )
  events.push(...decoder.end())
  expect(decoder.push(encoder.encode('data: {"choices":[{"delta":{"content":"late"}}]}\n\n'))).toEqual([])
  return { events, failure: decoder.failure }
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const DONE = 'data: [DONE]\n\n'
const chunk = (delta: unknown, finish_reason: string | null = null) =>
  data({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] })
const calls = (...tool_calls: unknown[]) => chunk({ tool_calls })
const piece = (index: number, text: string) => ({ index, function: { arguments: text } })
const head = (index: number, [id, name]: readonly [string, string], text = '') => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
})

/** The answer of a stream that must have succeeded. */
function answerOf(...frames: string[]): Answer {
  const { events, failure } = decode(frames.join(''))
  expect(failure).toBeNull()
  expect(grammarFaults(events)).toEqual([])
  return fold(events)
}

const partsOf = (...frames: string[]): readonly AnswerPart[] => answerOf(...frames).choices[0]?.parts ?? []
const call = (id: string, name: string, input: string): AnswerPart => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  input,
  namespace: null,
  proof: null,
})

describe('golden streams', () => {
  test.each(STREAMS)('%s, whole and split at every byte', (name) => {
    const bytes = new Uint8Array(readFileSync(join(CASES, name)))
    const whole = decode(bytes)
    expect(whole.failure).toBeNull()
    expect(grammarFaults(whole.events)).toEqual([])
    for (let at = 1; at < bytes.length; at++) {
      const cut = decode(bytes.slice(0, at), bytes.slice(at))
      expect(cut).toEqual(whole)
    }
    expect(decode(...Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(whole)
  })

  test('a truncated stream is a failure', () => {
    const text = readFileSync(join(CASES, 'text.stream.sse'), 'utf8')
    const upToFinish = text.slice(0, text.indexOf('"stop"'))
    const { events, failure } = decode(upToFinish)
    expect(failure).toMatchObject({ kind: 'malformed', message: "The supplier's stream has no end." })
    expect(events.some(({ type }) => type === 'choice-end' || type === 'answer-end')).toBe(false)
  })
})

describe('text', () => {
  test('with a finish reason in the same chunk, a null delta, and no [DONE]', () =>
    expect(
      answerOf(chunk({ role: 'assistant', content: '' }), chunk(null), chunk({ content: 'hello' }, 'stop')),
    ).toEqual({
      id: 'c1',
      choices: [
        {
          index: 0,
          parts: [textPart('hello')],
          finish: { reason: 'stop', stopSequence: null, explanation: null },
          logprobs: null,
        },
      ],
      usage: null,
    }))

  test('after the finish reason still counts, and the last reason wins', () => {
    const answer = answerOf(
      chunk({ content: 'a' }, 'stop'),
      chunk({ content: 'b' }),
      chunk({}, 'length'),
      DONE,
    )
    expect(answer.choices[0]?.parts).toEqual([textPart('ab')])
    expect(answer.choices[0]?.finish.reason).toBe('length')
  })

  test('as a list of parts, including thinking', () =>
    expect(
      partsOf(
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        chunk({ content: [{ type: 'text', text: 'so' }] }, 'stop'),
      ),
    ).toEqual([{ type: 'thinking', text: 'hm', proof: null, isRedacted: false }, textPart('so')]))

  test('with citations, counted from the start of the text', () => {
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'https://e.example', start_index: 1, end_index: 3 } },
    ]
    const [part] = partsOf(chunk({ content: 'abcd' }), chunk({ annotations }), chunk({}, 'stop'), DONE)
    expect(part).toEqual({
      ...textPart('abcd'),
      citations: [{ url: 'https://e.example', title: null, citedText: null, start: 1, end: 3 }],
    })
  })

  test.each(['reasoning_content', 'reasoning'])('thinking in %s', (name) =>
    expect(partsOf(chunk({ [name]: 'h' }), chunk({ [name]: 'm', content: 'so' }), chunk({}, 'stop'))).toEqual(
      [{ type: 'thinking', text: 'hm', proof: null, isRedacted: false }, textPart('so')],
    ),
  )

  test('a refusal sets the finish reason', () => {
    const answer = answerOf(chunk({ refusal: 'no' }), chunk({}, 'stop'), DONE)
    expect(answer.choices[0]).toMatchObject({
      parts: [{ type: 'refusal', text: 'no' }],
      finish: { reason: 'refusal' },
    })
  })

  test('with images', () =>
    expect(
      partsOf(
        chunk({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }, 'stop'),
      ),
    ).toEqual([
      {
        type: 'image',
        source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
        detail: null,
        cache: null,
      },
    ]))

  test('log probabilities are emitted with their part', () => {
    const logprobs = {
      content: [{ token: 'a', logprob: -1, top_logprobs: [{ token: 'b', logprob: -2 }, 7] }],
    }
    const answer = answerOf(
      data({ choices: [{ index: 0, delta: { content: 'a' }, logprobs, finish_reason: 'stop' }] }),
    )
    expect(answer.choices[0]?.logprobs).toEqual([
      { token: 'a', logprob: -1, top: [{ token: 'b', logprob: -2 }] },
    ])
  })
})

describe('usage', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const read = { input: 3, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0, images: 0 }

  test.each([
    [
      'on the last chunk',
      data({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }),
      '',
    ],
    ['on its own', chunk({}, 'stop'), data({ id: 'c1', choices: [], usage })],
    ['before anything', data({ id: 'c1', choices: [], usage }), chunk({}, 'stop')],
  ])('%s', (_where, first, second) =>
    expect(answerOf(first, chunk({ content: 'a' }), second, DONE).usage).toEqual(read),
  )
})

describe('tool calls', () => {
  test('in pieces', () =>
    expect(
      partsOf(
        calls(head(0, ['a', 'f'])),
        calls(piece(0, '{"x"')),
        calls(piece(0, ':1}')),
        chunk({}, 'tool_calls'),
        DONE,
      ),
    ).toEqual([call('a', 'f', '{"x":1}')]))

  test('set the finish reason, whatever the supplier sends', () => {
    const reasonOf = (word: string) =>
      answerOf(calls(head(0, ['a', 'f'], '{}')), chunk({}, word), DONE).choices[0]?.finish.reason
    expect(['stop', 'tool_calls', 'function_call', 'eos', 'whatever'].map(reasonOf)).toEqual(
      Array(5).fill('tool-call'),
    )
    expect(reasonOf('length')).toBe('length')
    expect(answerOf(chunk({ content: 'a' }, 'tool_calls'), DONE).choices[0]?.finish.reason).toBe('stop')
  })

  test('whole in one chunk, one after the other', () =>
    expect(
      partsOf(
        calls(head(0, ['a', 'f'], '{"x":1}'), head(1, ['b', 'g'], '{}')),
        chunk({ content: 'x' }, 'stop'),
      ),
    ).toEqual([call('a', 'f', '{"x":1}'), call('b', 'g', '{}'), textPart('x')]))

  test('are emitted as they arrive', () => {
    const decoder = new ChatStreamDecoder(context)
    const push = (text: string) => decoder.push(encoder.encode(text)).map((event) => event.type)
    expect(push(calls(head(0, ['a', 'f'])))).toEqual(['answer-start', 'part-start'])
    expect(push(calls(piece(0, '{}')))).toEqual(['part-delta'])
    expect(push(calls(head(1, ['b', 'g'], '{')))).toEqual(['part-end', 'part-start', 'part-delta'])
    expect(push(calls(piece(1, '}')))).toEqual(['part-delta'])
  })

  test('interleaved: later calls wait until the earlier one is whole', () => {
    const frames = [
      calls(head(0, ['a', 'f']), head(1, ['b', 'g'])),
      calls(piece(1, '{"y"')),
      calls(piece(0, '{"x"')),
      calls(piece(1, ':2}')),
      calls(piece(0, ':1}')),
      chunk({}, 'tool_calls'),
      DONE,
    ]
    expect(partsOf(...frames)).toEqual([call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')])
  })

  test('interleaved and incomplete: nothing is lost', () =>
    expect(
      partsOf(calls(head(0, ['a', 'f'], '{"x'), head(1, ['b', 'g'], '{"y')), chunk({}, 'length')),
    ).toEqual([call('a', 'f', '{"x'), call('b', 'g', '{"y')]))

  test('make text wait while a call is incomplete', () =>
    expect(
      partsOf(
        calls(head(0, ['a', 'f'], '{')),
        chunk({ content: 'x' }),
        calls(piece(0, '}')),
        chunk({}, 'stop'),
      ),
    ).toEqual([call('a', 'f', '{}'), textPart('x')]))

  test('with the whole input repeated at the end', () =>
    expect(
      partsOf(
        calls(head(0, ['a', 'f'], '{"x":')),
        calls(piece(0, '1}')),
        calls(piece(0, '{"x":1}')),
        chunk({}, 'stop'),
      ),
    ).toEqual([call('a', 'f', '{"x":1}')]))

  test('with equal pieces that are not repetitions', () =>
    expect(
      partsOf(
        calls(head(0, ['a', 'f'], '{"x":1')),
        calls(piece(0, '1')),
        calls(piece(0, '1}')),
        chunk({}, 'stop'),
      ),
    ).toEqual([call('a', 'f', '{"x":111}')]))

  test('with an index reused for a new id', () =>
    expect(
      partsOf(
        calls(head(0, ['a', 'f'], '{}')),
        calls(head(0, ['b', 'f'], '{')),
        calls(piece(0, '}')),
        chunk({}, 'stop'),
      ),
    ).toEqual([call('a', 'f', '{}'), call('b', 'f', '{}')]))

  test('with an id repeated on every piece, and the name', () =>
    expect(
      partsOf(calls(head(0, ['a', 'f'], '{')), calls(head(0, ['a', 'f'], '}')), chunk({}, 'stop')),
    ).toEqual([call('a', 'f', '{}')]))

  test('without an index', () =>
    expect(
      partsOf(
        calls({ id: 'a', function: { name: 'f', arguments: '{' } }),
        calls({ function: { arguments: '"x":' } }),
        calls({ id: 'a', function: { arguments: '1}' } }),
        calls({ id: 'b', function: { name: 'g', arguments: '{}' } }),
        chunk({}, 'stop'),
      ),
    ).toEqual([call('a', 'f', '{"x":1}'), call('b', 'g', '{}')]))

  test('without ids get the same ids as in a whole reply', () => {
    const tool_calls = [
      { function: { name: 'f', arguments: '{"x":1}' } },
      { function: { name: 'f', arguments: { x: 2 } } },
      { id: '', function: { name: 'g' } },
    ]
    const streamed = answerOf(chunk({ tool_calls }, 'tool_calls'), DONE)
    const whole = decodeReply({ id: 'c1', choices: [{ index: 0, message: { tool_calls } }] }, context)
    expect(streamed.choices[0]?.parts).toEqual(whole?.choices[0]?.parts ?? [])
    const ids = streamed.choices[0]?.parts.map((part) => ('id' in part ? part.id : '')) ?? []
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^call_[0-9a-f]{24}$/)
  })

  test('with one id for two calls get separate ids', () => {
    const ids = partsOf(calls(head(0, ['a', 'f'], '{}'), head(1, ['a', 'g'], '{}')), chunk({}, 'stop')).map(
      (part) => ('id' in part ? part.id : ''),
    )
    expect(new Set(ids).size).toBe(2)
  })

  test('named late, or never', () =>
    expect(
      partsOf(
        calls(
          { index: 0, id: 'a', function: { arguments: '{' } },
          { index: 1, id: 'b', function: { arguments: '{}' } },
        ),
        calls({ index: 0, function: { name: 'f', arguments: '}' } }),
        chunk({}, 'stop'),
      ),
    ).toEqual([call('a', 'f', '{}')]))

  test('in the deprecated form', () => {
    const [part] = partsOf(
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{}' } }),
      chunk({}, 'function_call'),
    )
    expect(part).toMatchObject({ type: 'tool-call', name: 'f', input: '{}' })
  })

  test('of the custom kind', () =>
    expect(
      partsOf(
        calls({ index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: 'free ' } }),
        calls({ index: 0, custom: { input: 'text' } }),
        chunk({}, 'tool_calls'),
      ),
    ).toEqual([{ ...call('a', 'f', 'free text'), kind: 'custom' } as AnswerPart]))

  test('with a signature, at once or late', () => {
    const extra_content = { google: { thought_signature: 'sig' } }
    const proof = {
      origin: 'chat-completion',
      model: 'upstream-1',
      route: 'sup_1',
      on: 'tool-call',
      value: 'sig',
      itemId: null,
    }
    const early = partsOf(calls({ ...head(0, ['a', 'f'], '{}'), extra_content }), chunk({}, 'stop'))
    const late = partsOf(
      calls(head(0, ['a', 'f'], '{}')),
      calls({ index: 0, extra_content }),
      chunk({}, 'stop'),
    )
    expect(early).toEqual([{ ...call('a', 'f', '{}'), proof } as AnswerPart])
    expect(late).toEqual(early)
  })
})

describe('several choices', () => {
  test('are complete only when each has finished', () => {
    const both = data({
      id: 'c1',
      choices: [
        { index: 0, delta: { content: 'a' }, finish_reason: 'stop' },
        { index: 1, delta: { content: 'b' } },
      ],
    })
    expect(decode(both).failure?.kind).toBe('malformed')
    const second = data({ choices: [{ index: 1, delta: {}, finish_reason: 'length' }] })
    expect(answerOf(both, second).choices.map(({ finish }) => finish.reason)).toEqual(['stop', 'length'])
  })
})

describe('failures', () => {
  test.each([
    [
      'an error object under a 200',
      data({ error: { message: 'Overloaded', type: 'overloaded_error' } }),
      'overloaded',
    ],
    [
      'an error event',
      'event: error\ndata: {"message":"Rate","code":"rate_limit_exceeded"}\n\n',
      'rate-limited',
    ],
    [
      'an error in place of a chunk',
      data({ object: 'error', message: 'Overloaded', type: 'x', code: 503 }) + DONE,
      'overloaded',
    ],
    [
      'an error in a choice',
      data({ choices: [{ index: 0, error: { message: 'x', code: 503 } }] }),
      'overloaded',
    ],
    [
      'an error instead of a stream',
      '{"error":{"message":"No such key","code":"invalid_api_key"}}',
      'credential',
    ],
    ['an event that is no JSON', 'data: <html>\n\n', 'malformed'],
    ['bytes that are not an event', 'Bad gateway\n\n', 'malformed'],
    ['a marker after nothing', DONE, 'malformed'],
    ['nothing', '', 'malformed'],
  ])('%s', (_what, text, kind) => {
    const { events, failure } = decode(chunkOrNothing(text), text)
    expect(failure?.kind).toBe(kind as SupplierFailure['kind'])
    expect(events.every(({ type }) => type !== 'answer-end')).toBe(true)
  })

  // The cases that are a whole response of their own follow nothing; the others follow a beginning.
  const chunkOrNothing = (text: string) =>
    text === '' || text === DONE || text.startsWith('{') || text.startsWith('Bad')
      ? ''
      : chunk({ content: 'a' })

  test('too many choices', () => {
    const frames = Array.from({ length: 300 }, (_, index) =>
      data({ choices: [{ index, delta: { content: 'x' } }] }),
    )
    expect(decode(frames.join('')).failure?.kind).toBe('malformed')
  })
})

test('chunks that only report on filters do not start the answer', () => {
  const filters = data({ id: '', choices: [], prompt_filter_results: [] })
  expect(answerOf(filters, chunk({ content: 'a' }, 'stop')).id).toBe('c1')
})

test('decodes a whole reply sent instead of a stream', () => {
  const reply = { id: 'c1', choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }] }
  expect(partsOf(JSON.stringify(reply, null, 2))).toEqual([textPart('hi')])
})
