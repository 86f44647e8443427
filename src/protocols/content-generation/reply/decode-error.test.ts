import { describe, expect, test } from 'bun:test'
import { decodeError, decodeStreamError } from './decode-error.ts'

function body(code: number, status: string, rest: object | string = 'x'): string {
  const fields = typeof rest === 'string' ? { message: rest } : rest
  return JSON.stringify({ error: { code, status, ...fields } })
}

const KEY_INVALID = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]

describe('an error response', () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ['input', 400, body(400, 'INVALID_ARGUMENT', 'Invalid value at temperature')],
    ['input', 400, body(400, 'OUT_OF_RANGE')],
    [
      'context-length',
      400,
      body(
        400,
        'INVALID_ARGUMENT',
        'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
      ),
    ],
    ['credential', 400, body(400, 'INVALID_ARGUMENT', { message: 'Bad.', details: KEY_INVALID })],
    ['credential', 400, body(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.')],
    ['input', 400, body(400, 'INVALID_ARGUMENT', `Invalid value at 'tools' (STRING), "api key"`)],
    ['credential', 400, body(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.')],
    ['credential', 401, body(401, 'UNAUTHENTICATED')],
    ['denied', 403, body(403, 'PERMISSION_DENIED')],
    ['server', 404, body(404, 'NOT_FOUND', 'models/x is not found for API version v1beta')],
    ['input', 404, body(404, 'NOT_FOUND', 'File abc not found.')],
    ['rate-limited', 429, body(429, 'RESOURCE_EXHAUSTED')],
    ['server', 499, body(499, 'CANCELLED')],
    ['server', 500, body(500, 'INTERNAL')],
    ['overloaded', 503, body(503, 'UNAVAILABLE')],
    ['timeout', 504, body(504, 'DEADLINE_EXCEEDED')],
    ['rate-limited', 429, `[${body(429, 'RESOURCE_EXHAUSTED')}]`],
    ['server', 404, '<html>'],
    ['overloaded', 503, ''],
    ['input', 400, '{"error":"bad"}'],
  ]
  for (const [kind, status, text] of cases) {
    test(`${status} ${text.slice(0, 60)} is ${kind}`, () => {
      expect(decodeError(status, text)).toMatchObject({ kind, status })
    })
  }

  test('has the field and the retry delay', () => {
    const details = [
      { '@type': 'x/google.rpc.BadRequest', fieldViolations: [{ field: 'contents', description: 'd' }] },
      { '@type': 'x/google.rpc.RetryInfo', retryDelay: '37.2s' },
    ]
    expect(
      decodeError(429, body(429, 'RESOURCE_EXHAUSTED', { message: 'slow down', details })),
    ).toMatchObject({
      message: 'slow down',
      param: 'contents',
      retryAfterSeconds: 38,
    })
  })

  test('never shows a key', () => {
    const { message } = decodeError(400, body(400, 'INVALID_ARGUMENT', 'key AIzaSyA1234567890abcdef is bad'))
    expect(message).toBe('key [removed] is bad')
  })
})

test('an error event has its own status', () => {
  const error = { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' }
  expect(decodeStreamError({ error })).toMatchObject({ kind: 'rate-limited', status: 429, message: 'slow' })
  expect(decodeStreamError({ error: { message: 'odd' } })).toMatchObject({ kind: 'server', status: null })
  expect(decodeStreamError({ error: 'odd' })).toMatchObject({ kind: 'server', message: 'odd' })
  expect(decodeStreamError({ error: {} })).toMatchObject({ kind: 'server', status: null })
})
