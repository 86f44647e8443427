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

const extraForbidden = (name: string) => ({
  type: 'extra_forbidden',
  loc: ['body', ...name.split('.')],
  msg: 'Extra inputs are not permitted',
  input: true,
})

/** Error bodies of compatible suppliers, by kind of failure. */
const SEEN: readonly (readonly [number, object, string, Readonly<Record<string, unknown>>])[] = [
  [
    422,
    {
      object: 'error',
      message: { detail: [extraForbidden('stream_options.include_usage')] },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
    'input',
    {
      param: 'stream_options.include_usage',
      refusedParam: 'stream_options.include_usage',
      message: 'stream_options.include_usage: Extra inputs are not permitted',
    },
  ],
  [
    422,
    {
      object: 'error',
      message: JSON.stringify({ detail: [extraForbidden('seed')] }),
      type: 'internal_error_proxy',
      code: '1000',
    },
    'input',
    { refusedParam: 'seed', param: 'seed' },
  ],
  [
    422,
    {
      object: 'Error',
      detail: [extraForbidden('tools')],
      message: [extraForbidden('tools')],
      type: 'invalid_request_error',
      code: 3001,
    },
    'input',
    { refusedParam: 'tools' },
  ],
  [
    400,
    { object: 'error', message: 'Invalid model: nope', type: 'invalid_model', param: null, code: '1500' },
    'server',
    {},
  ],
  [
    400,
    {
      code: 'Client specified an invalid argument',
      error: 'Argument not supported on this model: presencePenalty',
    },
    'input',
    { refusedParam: 'presencePenalty' },
  ],
  [
    400,
    {
      code: 'Client specified an invalid argument',
      error: 'Incorrect API key provided: xa***. You can obtain one.',
    },
    'credential',
    {},
  ],
  [
    413,
    {
      error: {
        message:
          'Request too large for model `x` in organization `org_01hq2k3m4n5p6q7r8s` on tokens per minute (TPM): Limit 6000',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    'rate-limited',
    {},
  ],
  [
    400,
    { error: { message: "property 'logit_bias' is unsupported", type: 'invalid_request_error' } },
    'input',
    { refusedParam: 'logit_bias' },
  ],
  [
    400,
    {
      error: {
        message: 'Model Not Exist',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
    },
    'server',
    {},
  ],
  [
    429,
    { error: { message: 'Your account is suspended', type: 'exceeded_current_quota_error' } },
    'credential',
    {},
  ],
  [
    429,
    { error: { message: 'The engine is currently overloaded', type: 'engine_overloaded_error' } },
    'overloaded',
    {},
  ],
  [
    400,
    {
      error: {
        message: 'invalid temperature: only 1 is allowed for this model',
        type: 'invalid_request_error',
      },
    },
    'input',
    { refusedParam: 'temperature' },
  ],
  [
    403,
    {
      error: {
        code: 403,
        message: 'Your input was flagged',
        metadata: { reasons: ['violence'], flagged_input: '…', provider_name: 'x', model_slug: 'y' },
      },
    },
    'input',
    { message: 'Your input was flagged' },
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: { provider_name: 'x', raw: '{"error":{"message":"prompt is too long: 9 > 8"}}' },
      },
    },
    'context-length',
    { message: 'prompt is too long: 9 > 8' },
  ],
  [
    400,
    {
      error: {
        message: 'Your organization must be verified to stream this model.',
        param: 'stream',
        code: 'unsupported_value',
      },
    },
    'credential',
    {},
  ],
  [
    400,
    {
      error: {
        message: 'Your organization must be verified to generate reasoning summaries.',
        param: 'reasoning.summary',
        code: 'unsupported_value',
      },
    },
    'input',
    { refusedParam: 'reasoning.summary' },
  ],
  [
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    'context-length',
    {},
  ],
  [
    404,
    {
      error: {
        message: 'model "x" not found, try pulling it first',
        type: 'api_error',
        param: null,
        code: null,
      },
    },
    'server',
    {},
  ],
  [
    400,
    {
      message: 'Please reduce the length of the messages or completion.',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
    'context-length',
    { param: 'messages' },
  ],
]

describe('from compatible suppliers', () => {
  for (const [status, body, kind, more] of SEEN) {
    test(`${status} ${JSON.stringify(body).slice(0, 100)}`, () =>
      expect(decodeErrorBody(status, JSON.stringify(body))).toMatchObject({ kind: kind as 'input', ...more }))
  }
})

/** Error messages that quote the client. */
describe('a client cannot disable a credential by quoting words', () => {
  test.each([
    [400, "Invalid value: 'api key'. Supported values are: 'auto' and 'default'."],
    [400, "Invalid value: 'x' Your api key is wrong ''."],
    [400, 'Unknown tier: insufficient credits'],
    [400, "Invalid value: 'the model x does not exist'."],
    [400, "Invalid value: 'your credit balance'."],
    [422, 'service_tier: got api key [input_value=api key]'],
    [404, "No prompt with id 'url of a model'."],
  ])('%i %s', (status, message) =>
    expect(decodeErrorBody(status, official({ message }))).toMatchObject({ kind: 'input', message }),
  )

  test.each([
    'Content violates usage guidelines. Team: t-1, API key ID: k-2, Model: m, Failed check: SAFETY_CHECK_TYPE_BIO',
    'Your request was blocked by our content filter.',
    'This prompt was flagged by our safety moderation.',
  ])('nor by what it writes: 403 %s', (message) => {
    const failure = decodeErrorBody(403, JSON.stringify({ code: 'no permission', error: message }))
    expect(failure.kind).toBe('input')
    expect(failure.message).not.toMatch(/t-1|k-2/)
  })

  test('a denial that does not mention the key is not a credential failure', () =>
    expect(decodeErrorBody(403, official({ message: 'You may not use this.' })).kind).toBe('denied'))
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

test('never throws, whatever a supplier sends', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.jsonValue(), (status, value) => {
      expect(decodeErrorBody(status, JSON.stringify(value)).status).toBe(status)
      expect(typeof decodeErrorEvent(value).message).toBe('string')
    }),
    { numRuns: 300, seed: 5 },
  )
})
