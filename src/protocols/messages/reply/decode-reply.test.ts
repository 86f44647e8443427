import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeReply } from './decode-reply.ts'

const ORIGIN = { upstreamModel: 'deep-1', route: 'sup_1' }
const REPLY = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'SIG' },
    { type: 'text', text: '', citations: null },
    {
      type: 'text',
      text: 'hi',
      citations: [
        { type: 'char_location', document_index: 0 },
        { url: 'https://a.example', title: null },
      ],
    },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1] } },
    { type: 'novelty', x: 1 },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4, output_tokens_details: { thinking_tokens: 9 } },
}

test('decodes a message', () => {
  expect(decodeReply(REPLY, ORIGIN)).toEqual({
    id: 'msg_1',
    usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 4, reasoning: 4, images: 0 },
    choices: [
      {
        index: 0,
        logprobs: null,
        finish: { reason: 'tool-call', stopSequence: null, explanation: null },
        parts: [
          {
            type: 'thinking',
            text: 'hm',
            proof: {
              origin: 'messages',
              model: 'deep-1',
              route: 'sup_1',
              on: 'thinking',
              value: 'SIG',
              itemId: null,
            },
            isRedacted: false,
          },
          {
            type: 'text',
            text: 'hi',
            cache: null,
            citations: [{ url: 'https://a.example', title: null, citedText: null, start: null, end: null }],
            proof: null,
          },
          {
            type: 'tool-call',
            id: 'toolu_1',
            name: 'f',
            kind: 'function',
            input: '{"a":[1]}',
            namespace: null,
            proof: null,
          },
          { type: 'opaque', format: 'messages', kind: 'novelty', value: { type: 'novelty', x: 1 } },
        ],
      },
    ],
  })
})

const text = { type: 'text', text: 'hi' }
const call = { type: 'tool_use', id: 'x', name: 'f', input: {} }
test.each([
  ['end_turn', text, 'stop'],
  ['end_turn', call, 'tool-call'],
  ['tool_use', text, 'stop'],
  ['max_tokens', call, 'length'],
  ['pause_turn', text, 'pause'],
  ['refusal', text, 'filter'],
  ['model_context_window_exceeded', text, 'context-full'],
  ['novelty', text, 'other'],
  [null, text, 'other'],
])('stop reason %p with %j', (stop_reason, block, reason) => {
  expect(
    decodeReply({ ...REPLY, content: [block], stop_reason }, ORIGIN)?.choices[0]?.finish.reason as string,
  ).toBe(reason)
})

test('rejects an answer that is nested too deeply', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(60_000)}${']'.repeat(60_000)}`)
  expect(decodeReply({ ...REPLY, content: [{ ...call, input: deep }] }, ORIGIN)).toBeNull()
})

test('decodes any JSON or returns null', () => {
  const block = fc.record(
    {
      type: fc.constantFrom('text', 'thinking', 'redacted_thinking', 'tool_use', 'x', 7),
      text: fc.jsonValue(),
      thinking: fc.jsonValue(),
      signature: fc.jsonValue(),
      data: fc.jsonValue(),
      input: fc.jsonValue(),
      citations: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const reply = fc.record(
    {
      id: fc.jsonValue(),
      content: fc.oneof(fc.array(fc.oneof(block, fc.jsonValue()), { maxLength: 3 }), fc.jsonValue()),
      stop_reason: fc.jsonValue(),
      stop_details: fc.jsonValue(),
      usage: fc.oneof(
        fc.jsonValue(),
        fc.record({ input_tokens: fc.jsonValue(), output_tokens: fc.integer() }),
      ),
    },
    { requiredKeys: [] },
  )
  let answers = 0
  fc.assert(
    fc.property(reply, (body) => {
      const answer = decodeReply(body, ORIGIN)
      if (answer === null) return
      answers++
      if (answer.usage !== null) expect(Math.min(...Object.values(answer.usage))).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000, seed: 101 },
  )
  expect(answers).toBeGreaterThan(100)
})
