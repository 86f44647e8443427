import { expect, test } from 'bun:test'
import type { ErrorCode } from '../../../errors/codes.ts'
import { type ErrorDetails, GatewayError } from '../../../errors/gateway-error.ts'
import { errorEnvelope } from '../../../errors/render-error.ts'
import { dressError } from './dress-error.ts'

const dress = (code: ErrorCode, message: string, details: ErrorDetails = {}) =>
  dressError(errorEnvelope(new GatewayError(code, message, details)), 'req_1')

test('the vendor’s words stay as they are', () => {
  const words = 'prompt is too long: 208310 tokens > 200000 maximum'
  expect(dress('context_length_exceeded', words)).toEqual({
    type: 'error',
    error: { message: words, type: 'context_length_exceeded', code: 'context_length_exceeded', param: null },
    request_id: 'req_1',
  })
  for (const other of [
    'context_management: Extra inputs are not permitted',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.3.role: `system` is not supported in mid-conversation',
  ])
    expect(dress('invalid_request', other).error.message).toBe(other)
})

test('words of others carry a token', () => {
  const long = dress('context_length_exceeded', "This model's maximum context length is 8192 tokens.")
  expect(long.error.message).toBe(
    "This model's maximum context length is 8192 tokens. (capability_rejected: prompt_too_long)",
  )
  const image = dress('unsupported_parameter', 'This model takes no images.', { param: 'image' })
  expect(image.error).toMatchObject({
    message: 'This model takes no images. (capability_rejected: image)',
    param: 'image',
  })
  const thinking = dress('unsupported_parameter', 'Cannot take: reasoning.', { param: 'reasoning' })
  expect(thinking.error.message).toEndWith('(capability_rejected: thinking)')
})

test('type and code stay the same, whatever is added', () => {
  const { error } = dress('provider_overloaded', 'The supplier of this model is overloaded.')
  expect(error).toMatchObject({ type: 'provider_overloaded', code: 'provider_overloaded' })
  // Agents search the body for this.
  expect(JSON.stringify(error)).toContain('"type":"overloaded_error"')
})
