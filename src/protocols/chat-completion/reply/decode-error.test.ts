import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeErrorBody, decodeErrorEvent } from '../../error-body.ts'

const official = (error: object) =>
  JSON.stringify({ error: { message: 'm', type: 'x', param: null, code: null, ...error } })

describe('kind', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [400, official({}), 'input'],
    [404, official({ message: 'No such file.' }), 'input'],
    [413, official({}), 'input'],
    [422, official({}), 'input'],
    [404, official({ message: 'The model `x` does not exist', code: 'model_not_found' }), 'server'],
    [404, official({ message: 'Model x is not served here' }), 'server'],
    [404, '<html>nginx</html>', 'server'],
    [404, '{"detail":"Not Found"}', 'server'],
    [400, official({ code: 'model_not_found' }), 'server'],
    [401, official({}), 'credential'],
    [402, '{"error":"Insufficient Balance"}', 'credential'],
    [403, '', 'denied'],
    [400, official({ message: 'API key not valid. Please pass a valid API key.' }), 'credential'],
    [408, '', 'timeout'],
    [504, '<html>', 'timeout'],
    [429, official({ code: 'rate_limit_exceeded' }), 'rate-limited'],
    [429, official({ message: 'Request too large: context window of tokens per min' }), 'rate-limited'],
    [429, official({ type: 'insufficient_quota', code: 'insufficient_quota' }), 'credential'],
    [503, '', 'overloaded'],
    [529, '', 'overloaded'],
    [500, official({}), 'server'],
    [502, '<html>', 'server'],
    [418, '', 'server'],
    [301, '', 'server'],
    [400, official({ code: 'context_length_exceeded' }), 'context-length'],
    [400, official({ type: 'CONTEXT_LENGTH_EXCEEDED' }), 'context-length'],
    [400, official({ message: "This model's maximum context length is 8192 tokens." }), 'context-length'],
    [400, official({ message: 'prompt is too long: 210000 tokens > 200000 maximum' }), 'context-length'],
    [400, official({ message: 'Please reduce the length of the messages' }), 'context-length'],
    [413, '{"message":"The input is too long for this model"}', 'context-length'],
    [422, '{"detail":[{"loc":["body"],"msg":"field required"}]}', 'input'],
  ]
  for (const [status, body, kind] of cases) {
    test(`${status} ${body}`, () => expect(decodeErrorBody(status, body)).toMatchObject({ status, kind }))
  }
})

describe('message and param', () => {
  test.each([
    [official({ message: 'bad', param: 'temperature' }), 'bad', 'temperature'],
    ['{"error":"boom"}', 'boom', null],
    ['{"message":"boom"}', 'boom', null],
    ['{"detail":"boom"}', 'boom', null],
    ['{"detail":[{"msg":"boom"}]}', 'boom', null],
    ['[{"error":{"message":"boom"}}]', 'boom', null],
    ['"boom"', 'boom', null],
    ['boom', 'boom', null],
    ['{"error":{"code":"odd_code"}}', 'odd_code', null],
    ['{"error":{}}', 'The supplier answered with status 400.', null],
    ['{"error":null}', 'The supplier answered with status 400.', null],
    ['[]', 'The supplier answered with status 400.', null],
    ['[[[[]]]]', 'The supplier answered with status 400.', null],
    ['', 'The supplier answered with status 400.', null],
    ['<html><body>gateway</body></html>', 'The supplier answered with status 400.', null],
    ['{"truncated":', 'The supplier answered with status 400.', null],
  ])('%s', (body, message, param) => expect(decodeErrorBody(400, body)).toMatchObject({ message, param }))

  test.each([
    [
      'Incorrect API key provided: sk-proj-abcdEFGH1234567890. See docs',
      'Incorrect API key provided: [removed]. See docs',
    ],
    ['key sk-abcd********wxyz is bad', 'key [removed] is bad'],
    ['header "Authorization: Bearer abc.def-ghi" refused', 'header "Authorization: [removed]" refused'],
    ['in organization org-AbCdEfGh1234567 on tokens', 'in organization [removed] on tokens'],
    ['GET https://x.example/v1?key=SECRET&a=1 failed', 'GET https://x.example/v1?key=[removed]&a=1 failed'],
    ['AIzaSyA1234567890abcdefg is not valid', '[removed] is not valid'],
    ['two\nlines\u0000and\u001b[31m colour', 'two lines and [31m colour'],
    ['skipping keyboard-shortcuts, use user_location', 'skipping keyboard-shortcuts, use user_location'],
    ['token eyJhbGciOi.eyJzdWIiOi.abc_def expired', 'token [removed] expired'],
  ])('%j', (message, expected) => {
    expect(decodeErrorBody(400, official({ message })).message).toBe(expected)
  })

  test('shortens long messages', () => {
    expect(decodeErrorBody(400, official({ message: '😀'.repeat(5000) })).message.length).toBe(1000)
    expect(decodeErrorBody(400, 'x'.repeat(1_000_000)).message.length).toBe(1000)
  })
})

test('any bytes decode to some failure', () => {
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((error) => JSON.stringify({ error })),
  )
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), body, (status, text) => {
      const failure = decodeErrorBody(status, text)
      expect(failure.message).not.toBe('')
      expect(failure.status).toBe(status)
    }),
    { numRuns: 1000, seed: 12 },
  )
})

test('an error event may carry its status', () => {
  expect(decodeErrorEvent({ error: { message: 'x', code: '429' } })).toMatchObject({
    kind: 'rate-limited',
    status: 429,
  })
  expect(decodeErrorEvent({ error: { message: 'x', type: 'invalid_request_error' } })).toMatchObject({
    kind: 'input',
    status: null,
  })
  expect(decodeErrorEvent({ error: {} })).toMatchObject({ kind: 'server', status: null })
})
