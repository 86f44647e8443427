import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { grammarFaults } from '../../../../test/support/normal-form.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { fold } from '../../../conversation/fold.ts'
import { DEFAULT_TRAITS } from '../../../vocabulary/runtime/traits.ts'
import type { SupplyContext } from '../../translation.ts'
import { decodeReply } from '../reply/decode-reply.ts'
import { ResponsesDecoder } from './decode-stream.ts'

const CONTEXT: SupplyContext = {
  upstreamModel: 'up-1',
  route: 'sup_1',
  traits: DEFAULT_TRAITS,
  outputTokenLimit: null,
}
const readCase = (name: string) => readFileSync(join(import.meta.dirname, '../cases', name))
const EVERYTHING = readCase('everything.stream.sse')
const REPLY: unknown = JSON.parse(readCase('everything.reply.json').toString())

function decodeAll(...chunks: (Uint8Array | string)[]) {
  const decoder = new ResponsesDecoder(CONTEXT)
  const events: AnswerEvent[] = []
  for (const chunk of chunks) events.push(...decoder.push(Buffer.from(chunk)))
  events.push(...decoder.end())
  return { events, failure: decoder.failure }
}

function eventsOf(...wire: object[]): string {
  return wire.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

const CREATED = { type: 'response.created', response: { id: 'resp_1' } }
const completed = (response: object = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', output: [], ...response },
})
const partsOf = (events: readonly AnswerEvent[]) => fold(events).choices[0]?.parts ?? []

describe('a recorded stream with every kind of item', () => {
  const { events, failure } = decodeAll(EVERYTHING)

  test('folds to the answer of the whole reply', () => {
    expect(failure).toBeNull()
    expect(grammarFaults(events)).toEqual([])
    expect(fold(events)).toEqual(decodeReply(REPLY, CONTEXT) ?? { id: '', choices: [], usage: null })
  })

  test('decodes every part', () => {
    expect(fold(events)).toMatchObject({
      id: 'resp_s1',
      usage: { input: 30, cacheRead: 60, cacheWrite: 10, output: 50, reasoning: 20 },
      choices: [{ finish: { reason: 'tool-call' }, logprobs: null }],
    })
    expect(partsOf(events)).toMatchObject([
      {
        type: 'thinking',
        text: 'First thought.\n\nSecond 😀.',
        proof: { origin: 'responses', model: 'up-1', route: 'sup_1', value: 'gAAAAB', itemId: 'rs_1' },
      },
      { type: 'text', text: 'Grüße — hello', citations: [{ url: 'https://a.example/', start: 0, end: 5 }] },
      { type: 'tool-call', id: 'call_a', name: 'f', input: '{"x":"é"}' },
      { type: 'tool-call', id: 'call_b', name: 'g', input: '{"y":2}' },
      { type: 'tool-call', id: 'call_c', kind: 'custom', input: '*** Begin' },
      { type: 'opaque', format: 'responses', kind: 'web_search_call' },
    ])
  })

  test('decodes alike when split at every position', () => {
    for (let cut = 1; cut < EVERYTHING.length; cut++) {
      const split = decodeAll(EVERYTHING.subarray(0, cut), EVERYTHING.subarray(cut))
      if (!Bun.deepEquals(split, { events, failure })) throw new Error(`another answer when split at ${cut}`)
    }
  })

  test('emits text as it arrives', () => {
    const half = EVERYTHING.subarray(0, EVERYTHING.indexOf('response.output_text.annotation.added'))
    const decoder = new ResponsesDecoder(CONTEXT)
    expect(decoder.push(half).at(-1)).toEqual({ type: 'part-delta', choice: 0, text: '— hello' })
  })
})

describe('accepts suppliers that send', () => {
  const item = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' }
  const message = {
    id: 'msg_1',
    type: 'message',
    content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
  }
  const WHOLE_CALL = [{ type: 'tool-call', id: 'call_1', name: 'f', input: '{"a":1}' }]

  test('only the whole response', () => {
    const { events } = decodeAll(eventsOf(CREATED, completed({ output: [message, item] })))
    expect(grammarFaults(events)).toEqual([])
    expect(partsOf(events)).toMatchObject([{ type: 'text', text: 'Hi' }, ...WHOLE_CALL])
  })

  test('only the done events', () => {
    const { events } = decodeAll(
      eventsOf(
        CREATED,
        { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
        { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"a":1}' },
        { type: 'response.output_item.done', output_index: 0, item },
        completed(),
      ),
    )
    expect(partsOf(events)).toMatchObject(WHOLE_CALL)
  })

  test('only the ended items, arguments as an object, and a late name', () => {
    const { events } = decodeAll(
      eventsOf(
        { type: 'response.output_item.added', output_index: 0, item: { type: 'function_call', id: 'fc_1' } },
        { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: { a: 1 } } },
        completed(),
      ),
    )
    expect(grammarFaults(events)).toEqual([])
    expect(partsOf(events)).toMatchObject(WHOLE_CALL)
  })

  test('no output_index', () => {
    const { events } = decodeAll(
      eventsOf(
        CREATED,
        { type: 'response.output_item.added', item: { ...item, arguments: '' } },
        { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{"a":1}' },
        { type: 'response.output_item.done', item },
        completed({ output: [item] }),
      ),
    )
    expect(partsOf(events)).toMatchObject(WHOLE_CALL)
  })

  test('no end of an item', () => {
    const { events } = decodeAll(
      eventsOf(
        CREATED,
        { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' },
        completed(),
      ),
    )
    expect(grammarFaults(events)).toEqual([])
    expect(partsOf(events)).toMatchObject([{ type: 'text', text: 'Hi' }])
  })

  test('full thinking instead of a summary', () => {
    const { events } = decodeAll(
      eventsOf(
        CREATED,
        { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs_1' } },
        { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'Hm' },
        { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', summary: [] } },
        completed(),
      ),
    )
    expect(partsOf(events)).toEqual([{ type: 'thinking', text: 'Hm', proof: null, isRedacted: false }])
  })

  test('empty items, unknown events, comments and [DONE]', () => {
    const { events, failure } = decodeAll(
      eventsOf(CREATED),
      ': ka\n\n',
      eventsOf(
        { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs_1' } },
        { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'rs_1' } },
        { type: 'response.new_thing.delta', output_index: 0, delta: 'x' },
        { type: 'keepalive' },
        completed({ output: [{ type: 'message', content: [{ type: 'output_text', text: '' }] }] }),
      ),
      'data: [DONE]\n\n',
    )
    expect(failure).toBeNull()
    expect(events.map(({ type }) => type)).toEqual(['answer-start', 'choice-end', 'answer-end'])
  })
})

describe('finish reason', () => {
  const incomplete = (reason: string) =>
    eventsOf(CREATED, {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason }, output: [] },
    })
  test.each([
    ['length', incomplete('max_output_tokens')],
    ['filter', incomplete('content_filter')],
    ['other', incomplete('steered')],
    ['stop', eventsOf(CREATED, completed())],
    [
      'refusal',
      eventsOf(
        CREATED,
        completed({ output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No' }] }] }),
      ),
    ],
  ])('%s', (reason, stream) => {
    expect(fold(decodeAll(stream).events).choices[0]?.finish.reason).toBe(reason as 'stop')
  })
})

describe('failures', () => {
  test.each([
    [
      'an error event',
      { type: 'error', code: 'server_error', message: 'boom' },
      { kind: 'server', message: 'boom' },
    ],
    [
      'a limit',
      { type: 'error', error: { code: 'rate_limit_exceeded', message: 'slow' } },
      { kind: 'rate-limited', message: 'slow' },
    ],
    [
      'a failed response',
      { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'bad' } } },
      { kind: 'input', message: 'bad' },
    ],
    [
      'an image',
      { type: 'response.failed', response: { error: { code: 'invalid_image_url', message: 'bad' } } },
      { kind: 'input', message: 'bad' },
    ],
    ['an error without a type', { error: { message: 'boom' } }, { kind: 'server', message: 'boom' }],
  ])('%s', (_name, event, expected) => {
    const { events, failure } = decodeAll(eventsOf(CREATED, event, completed()))
    expect(failure).toMatchObject(expected)
    expect(events.map(({ type }) => type)).toEqual(['answer-start'])
  })

  test.each([
    ['no end', eventsOf(CREATED)],
    ['nothing', ''],
    ['half an event', eventsOf(CREATED, completed()).slice(0, -20)],
    ['what is not JSON', `${eventsOf(CREATED)}data: {oops\n\n`],
    ['what is not an object', 'data: 7\n\n'],
    ['a page', '<html>\n\n'],
  ])('a stream with %s', (_name, stream) => {
    expect(decodeAll(stream).failure).toMatchObject({ kind: 'malformed' })
  })

  test('accepts a last event without its blank line', () => {
    expect(decodeAll(eventsOf(CREATED, completed()).trimEnd()).failure).toBeNull()
  })
})

test('emits thinking whose index cannot be converted to a string', () => {
  const item = { type: 'reasoning', id: 'rs_1' }
  const thought = { output_index: 0, content_index: { toString: 1 }, delta: 'hm' }
  const wire = eventsOf(
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.reasoning_text.delta', ...thought },
    { type: 'response.output_item.done', output_index: 0, item },
    completed(),
  )
  expect(partsOf(decodeAll(wire).events)).toMatchObject([{ type: 'thinking', text: 'hm' }])
})
