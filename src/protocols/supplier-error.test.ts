import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cleanParam, cleanSupplierMessage, saysPromptTooLong } from './supplier-error.ts'

describe('removes account details from supplier messages', () => {
  test.each([
    [
      'Rate limit reached in organization org-AbCdEfGh12345678 on tokens',
      'Rate limit reached in organization [removed] on tokens',
    ],
    [
      'Request too large in organization `org_01hq2k3m4n5p6q7r8s` service tier',
      'Request too large in organization `[removed]` service tier',
    ],
    ['Project `proj_Ab12Cd34Ef56` does not have access', 'Project `[removed]` does not have access'],
    ['Incorrect API key provided: xai-AbCd****wxyz9.', 'Incorrect API key provided: [removed].'],
    ['bad key csk-abcdefgh12345678', 'bad key [removed]'],
    [
      'include the request ID req_011CSabcdefgh in your message',
      'include the request ID [removed] in your message',
    ],
    ['failed (request id: 20260915abcdef99)', 'failed (request id: [removed])'],
    [
      'your team 6f1b2c3d-1111-4222-8333-abcdefabcdef does not have access',
      'your team [removed] does not have access',
    ],
    ['User arn:aws:iam::123456789012:user/turnpike is not authorized', 'User [removed] is not authorized'],
    [
      'turnpike@my-project.iam.gserviceaccount.com lacks aiplatform.endpoints.predict',
      '[removed] lacks aiplatform.endpoints.predict',
    ],
    [
      'Resource projects/my-project-1/locations/x not found',
      'Resource projects/[removed]/locations/x not found',
    ],
    [
      'API has not been used in project 123456789012 before',
      'API has not been used in project [removed] before',
    ],
  ])('%s', (message, expected) => expect(cleanSupplierMessage(message)).toBe(expected))
})

test.each([
  'messages.1.content.0: text content blocks must be non-empty',
  "Invalid value: 'user_location'. Supported values are: 'auto', 'low'.",
  'max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens',
  'tools.0.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12',
  'the tool key_handler-for-projects is not defined',
])('%s stays as it is', (message) => expect(cleanSupplierMessage(message)).toBe(message))

test('cleans and shortens a field name', () => {
  expect(cleanParam('messages[0].content')).toBe('messages[0].content')
  expect(cleanParam('org-AbCdEfGh12345678.x')).toBe('[removed].x')
  expect(cleanParam('x'.repeat(500))).toHaveLength(100)
  expect(cleanParam(null)).toBeNull()
})

test('is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3000 }), (text) => {
      const cleaned = cleanSupplierMessage(text)
      expect(cleanSupplierMessage(cleaned)).toBe(cleaned)
    }),
  )
})

test.each([
  "This model's maximum prompt length is 131072 but the request contains 131100 tokens.",
  'Invalid request: Your request exceeded model token limit: 8192',
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000',
  'The prompt is too long: 200000, model maximum context length: 131071',
  'Please reduce the length of the messages or completion.',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  "This endpoint's maximum context length is 32768 tokens.",
])('%s: the prompt does not fit', (message) => expect(saysPromptTooLong(message)).toBe(true))
