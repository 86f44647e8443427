import { describe, expect, test } from 'bun:test'
import { GatewayError } from './gateway-error.ts'
import { asGatewayError, errorEnvelope, renderError } from './render-error.ts'

const refusal = new GatewayError('rate_limit_exceeded', 'Slow down.', { headers: { 'retry-after': '7' } })

describe('an error response', () => {
  test('has the status of its code, the envelope and the headers', () => {
    const response = renderError(refusal, 'req_1')
    expect(response.status).toBe(429)
    expect(response.headers['retry-after']).toBe('7')
    expect(response.headers['content-type']).toBe('application/json')
    expect(JSON.parse(response.body)).toEqual({
      error: {
        message: 'Slow down.',
        type: 'rate_limit_exceeded',
        code: 'rate_limit_exceeded',
        param: null,
      },
    })
  })

  test('wears what its wire format puts around it', () => {
    const response = renderError(refusal, 'req_1', (envelope, requestId) => ({
      type: 'error',
      ...envelope,
      request_id: requestId,
    }))
    expect(JSON.parse(response.body)).toEqual({
      type: 'error',
      ...errorEnvelope(refusal),
      request_id: 'req_1',
    })
  })
})

describe('what was thrown', () => {
  test('is itself when it is a refusal', () => {
    expect(asGatewayError(refusal)).toBe(refusal)
  })

  test('is an internal error that shows nothing of it otherwise', () => {
    const error = asGatewayError(new Error('password is hunter2'))
    expect(error.code).toBe('internal_error')
    expect(renderError(error, 'req_1').body).not.toContain('hunter2')
    expect(error.cause).toEqual(new Error('password is hunter2'))
  })
})
