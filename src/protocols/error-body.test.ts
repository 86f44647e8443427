import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeErrorBody, decodeErrorEvent } from './error-body.ts'

const official = (error: object) =>
  JSON.stringify({ error: { message: 'm', type: 'x', param: null, code: null, ...error } })

describe('an error response', () => {
  test.each([
    [400, official({}), 'input'],
    [404, official({ message: 'No such file.' }), 'input'],
    [404, official({ message: 'The model `x` does not exist', code: 'model_not_found' }), 'server'],
    [404, '<html>nginx</html>', 'server'],
    [401, official({}), 'credential'],
    [400, official({ message: 'API key not valid.' }), 'credential'],
    [429, official({ code: 'insufficient_quota' }), 'credential'],
    [429, official({}), 'rate-limited'],
    [503, '', 'overloaded'],
    [504, '', 'timeout'],
    [400, official({ message: 'maximum context length is 8192 tokens' }), 'context-length'],
  ])('%i %s is of kind %s', (status, body, kind) =>
    expect(decodeErrorBody(status, body)).toMatchObject({ status, kind: kind as 'input' }),
  )

  test.each([
    [official({ message: 'bad', param: 'temperature' }), 'bad'],
    ['{"error":"boom"}', 'boom'],
    ['{"detail":[{"msg":"boom"}]}', 'boom'],
    ['[{"error":{"message":"boom"}}]', 'boom'],
    ['boom', 'boom'],
    ['{"error":{"message":"key sk-abcdefghijklmnop is wrong"}}', 'key [removed] is wrong'],
  ])('%s says %s', (body, message) => expect(decodeErrorBody(400, body).message).toBe(message))
})

describe('an error event', () => {
  test.each([
    [{ error: { code: 'rate_limit_exceeded' } }, 'rate-limited'],
    [{ code: 'invalid_prompt', message: 'x' }, 'input'],
    [{ error: { code: 503, message: 'x' } }, 'overloaded'],
    [{ error: { message: 'prompt is too long' } }, 'context-length'],
    [{}, 'server'],
    [null, 'server'],
  ])('%j is of kind %s', (event, kind) =>
    expect(decodeErrorEvent(event)).toMatchObject({ kind: kind as 'server' }),
  )
})

test('nothing a supplier sends is an exception', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.jsonValue(), (status, value) => {
      expect(decodeErrorBody(status, JSON.stringify(value)).status).toBe(status)
      expect(typeof decodeErrorEvent(value).message).toBe('string')
    }),
    { numRuns: 300, seed: 5 },
  )
})
