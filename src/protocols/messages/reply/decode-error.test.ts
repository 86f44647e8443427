import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeError, decodeStreamError } from './decode-error.ts'

const official = (type: string, message = 'm') =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' })

describe('kind', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [400, official('invalid_request_error'), 'input'],
    [401, official('authentication_error'), 'credential'],
    [402, official('billing_error'), 'credential'],
    [403, official('permission_error'), 'denied'],
    [404, official('not_found_error', 'model: claude-x'), 'server'],
    [409, official('conflict_error'), 'server'],
    [413, official('request_too_large'), 'input'],
    [429, official('rate_limit_error'), 'rate-limited'],
    [500, official('api_error'), 'server'],
    [504, official('timeout_error'), 'timeout'],
    [529, official('overloaded_error'), 'overloaded'],
    [
      400,
      official('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context-length',
    ],
    [
      400,
      official(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
      ),
      'context-length',
    ],
    [
      400,
      official('invalid_request_error', 'Your credit balance is too low to access the API.'),
      'credential',
    ],
    [400, official('invalid_request_error', 'This organization has been disabled.'), 'credential'],
    [
      400,
      official('invalid_request_error', 'You have reached your specified API usage limits.'),
      'credential',
    ],
    [502, '<html>', 'server'],
    [400, '{"message":"bad"}', 'input'],
  ]
  for (const [status, body, kind] of cases) {
    test(`${status} ${body}`, () => expect(decodeError(status, body)).toMatchObject({ status, kind }))
  }

  const events: readonly (readonly [string, string])[] = [
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate-limited'],
    ['api_error', 'server'],
    ['timeout_error', 'timeout'],
    ['billing_error', 'credential'],
    ['authentication_error', 'credential'],
    ['invalid_request_error', 'input'],
    ['request_too_large', 'input'],
    ['novel_error', 'server'],
  ]
  for (const [type, kind] of events) {
    test(`event ${type}`, () =>
      expect(decodeStreamError({ type: 'error', error: { type, message: 'm' } })).toMatchObject({
        kind,
        message: 'm',
      }))
  }
})

test('finds the invalid field at the start of the message', () => {
  const param = (message: string) => decodeError(400, official('invalid_request_error', message)).param
  expect(param('messages.1.content.0.text: must not be empty')).toBe('messages[1].content[0].text')
  expect(param('max_tokens: 5 > 4')).toBe('max_tokens')
  expect(param('Bad thing: x')).toBeNull()
})

test('decodes any bytes to a failure', () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
      const failure = decodeError(status, body)
      expect(failure.status).toBe(status)
      expect(failure.message).not.toBe('')
      expect(decodeStreamError(body).message).not.toBe('')
    }),
    { numRuns: 500, seed: 61 },
  )
})
