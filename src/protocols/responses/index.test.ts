import { describe, expect, test } from 'bun:test'
import { responses } from './index.ts'

describe('a whole reply', () => {
  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
    {
      type: 'message',
      content: [
        { type: 'output_text', text: 'abc' },
        { type: 'refusal', refusal: 'no' },
      ],
    },
    { type: 'function_call', name: 'f', arguments: '{}' },
  ]
  test('returns usage and the number of characters', () =>
    expect(
      responses.readReply({ status: 'completed', output, usage: { input_tokens: 5, output_tokens: 7 } }),
    ).toEqual({
      usage: { input: 5, cacheRead: 0, cacheWrite: 0, output: 7, reasoning: 0, images: 0 },
      outputCharacters: 10,
    }))

  test.each([
    ['an error', { error: { message: 'x' }, output: [] }],
    ['no output', { object: 'response' }],
    ['a failed response', { status: 'failed', output: [] }],
    ['an unfinished response', { status: 'in_progress', output: [] }],
    ['a list', []],
    ['nothing', null],
  ])('is not %s', (_name, body) => {
    expect(responses.readReply(body)).toBeNull()
    const { supplier } = responses
    if (supplier === undefined) throw new Error('no supplier side')
    const context = { upstreamModel: 'up', route: 'r', traits: supplier.traits, outputTokenLimit: null }
    expect(supplier.decodeReply(body, context)).toBeNull()
  })
})

test.each([
  [
    400,
    '{"error":{"message":"bad","param":"input","code":null}}',
    { kind: 'input', message: 'bad', param: 'input' },
  ],
  [400, '{"error":{"code":"context_length_exceeded","message":"x"}}', { kind: 'context-length' }],
  [401, '{"error":{"message":"x"}}', { kind: 'credential' }],
  [429, '', { kind: 'rate-limited', message: 'The supplier answered with status 429.' }],
  [502, '<html>', { kind: 'server' }],
])('an error response %i %s', (status, body, expected) =>
  expect(responses.decodeError(status, body)).toMatchObject({ status, ...expected } as object),
)

test('token counting', () => {
  expect(responses.tokenCounting?.paths).toEqual(['/v1/responses/input_tokens'])
  expect(responses.tokenCounting?.decode({ input_tokens: 7 })).toBe(7)
  for (const body of [null, {}, { input_tokens: -1 }, { input_tokens: '7' }])
    expect(responses.tokenCounting?.decode(body)).toBeNull()
})

test('state: stores replies and continues from them', () => {
  const { state } = responses
  expect(state?.previousId({ previous_response_id: 'resp_1' })).toBe('resp_1')
  expect(state?.previousId({ previous_response_id: null })).toBeNull()
  expect(
    [{}, { store: true }, { store: null }, { store: false }].map((body) => state?.wantsStore(body)),
  ).toEqual([true, true, true, false])
  expect(state?.replyId({ id: 'resp_1' })).toBe('resp_1')
  expect(state?.replyId(undefined)).toBeNull()
  expect(state?.outputItems({ output: [1] })).toEqual([1])
})
