import { describe, expect, test } from 'bun:test'
import { supplyContext } from '../../../../test/support/translation-contexts.ts'
import { textPart } from '../../../conversation/part.ts'
import { CHAT_TRAITS } from '../format.ts'
import { decodeReply } from './decode-reply.ts'

const context = supplyContext({}, CHAT_TRAITS)
const decodeMessage = (message: unknown, finish_reason: unknown = 'stop') =>
  decodeReply({ id: 'c1', choices: [{ index: 0, message, finish_reason }] }, context)?.choices[0]

describe('returns null for', () => {
  const bodies: readonly unknown[] = [
    null,
    'x',
    [],
    {},
    { choices: [] },
    { choices: [{}] },
    { choices: [null] },
    { error: { message: 'x' }, choices: [{ message: { content: 'a' } }] },
    { choices: [{ message: { content: 'a' }, error: { message: 'x' } }] },
  ]
  for (const body of bodies) {
    test(JSON.stringify(body), () => expect(decodeReply(body, context)).toBeNull())
  }
})

test('decodes everything a message can hold, in order', () =>
  expect(
    decodeMessage({
      content: 'text',
      refusal: 'no',
      reasoning_content: 'hm',
      annotations: [
        { type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 0, end_index: 4 } },
      ],
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: { x: 1 } } },
        null,
        { id: 'nameless' },
      ],
    }),
  ).toEqual({
    index: 0,
    parts: [
      { type: 'thinking', text: 'hm', proof: null, isRedacted: false },
      { ...textPart('text'), citations: [{ url: 'u', title: 't', citedText: null, start: 0, end: 4 }] },
      { type: 'refusal', text: 'no' },
      {
        type: 'tool-call',
        id: 'a',
        name: 'f',
        kind: 'function',
        input: '{"x":1}',
        namespace: null,
        proof: null,
      },
    ],
    finish: { reason: 'tool-call', stopSequence: null, explanation: null },
    logprobs: null,
  }))

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'filter'],
  ['tool_calls', 'stop'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['insufficient_system_resource', 'other'],
  ['', 'stop'],
  [null, 'stop'],
  [7, 'stop'],
])('finish_reason %p is %s', (word, reason) =>
  expect(decodeMessage({ content: 'a' }, word)?.finish.reason).toBe(reason as never),
)

test('choices keep their index, or get their position', () => {
  const message = { content: 'a' }
  const indices = (...sent: unknown[]) =>
    decodeReply({ choices: sent.map((index) => ({ index, message })) }, context)?.choices.map(
      ({ index }) => index,
    )
  expect(indices(1, 0)).toEqual([0, 1])
  expect(indices(undefined, 'x')).toEqual([0, 1])
})

test('accepts a reply without id and usage', () =>
  expect(decodeReply({ choices: [{ message: {} }] }, context)).toEqual({
    id: '',
    choices: [
      {
        index: 0,
        parts: [],
        finish: { reason: 'stop', stopSequence: null, explanation: null },
        logprobs: null,
      },
    ],
    usage: null,
  }))

test('survives arguments nested deeper than the stack', () => {
  let nested: unknown = {}
  for (let depth = 0; depth < 200_000; depth++) nested = [nested]
  const choice = decodeMessage({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: nested } }] })
  expect(choice?.parts).toMatchObject([{ type: 'tool-call', id: 'a', name: 'f', input: '' }])
})
