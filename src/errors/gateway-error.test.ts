import { describe, expect, test } from 'bun:test'
import { GatewayError } from './gateway-error.ts'

describe('a refusal', () => {
  test('takes its status from the table', () => {
    expect(new GatewayError('model_not_found', 'No such model.').status).toBe(404)
    expect(new GatewayError('rate_limit_exceeded', 'Slow down.').status).toBe(429)
  })

  test('given more headers keeps everything else, and its own headers win', () => {
    const cause = new Error('underneath')
    const error = new GatewayError('invalid_request', 'Wrong.', { param: 'n', cause, headers: { a: 'own' } })
    const more = error.withHeaders({ a: 'other', b: 'new' })
    expect(more).toMatchObject({ code: 'invalid_request', message: 'Wrong.', param: 'n', cause })
    expect(more.headers).toEqual({ a: 'own', b: 'new' })
    expect(error.headers).toEqual({ a: 'own' })
  })

  test('without a param stays without one', () => {
    expect(new GatewayError('not_found', 'Nothing.').withHeaders({}).param).toBeNull()
  })
})
