import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { encodeError, ResponseMessages, readMessage } from './socket.ts'

describe('readMessage', () => {
  test('leaves the body of the request over HTTP, with every character of its own', () => {
    const text =
      '{"type":"response.create", "model":"m","input":"ö","seed":12345678901234567890,"stream_id":"a","generate":true,"stream":false}'
    const message = readMessage(text)
    if (message.type !== 'create') throw new Error(message.type)
    expect(message.streamId).toBe('a')
    expect(message.generates).toBe(true)
    expect(message.body).toContain('12345678901234567890')
    expect(JSON.parse(message.body)).toEqual({
      stream: true,
      model: 'm',
      input: 'ö',
      seed: Number('12345678901234567890'),
    })
  })

  test('reads what the connection needs to know', () => {
    expect(
      readMessage('{"type":"response.create","previous_response_id":"resp_1","generate":false}'),
    ).toMatchObject({ type: 'create', streamId: null, previousId: 'resp_1', generates: false })
  })

  test.each([
    ['', 'invalid_request'],
    ['null', 'invalid_request'],
    ['{"type":"response.create","background":true,"stream_id":"b"}', 'unsupported_parameter'],
    [`{"type":"response.create","stream_id":"${'x'.repeat(65)}"}`, 'invalid_request'],
  ])('refuses %p', (text, code) => {
    const message = readMessage(text)
    expect(message.type === 'refused' && message.error.code).toBe(code as never)
  })

  test('an error in a stream names the stream', () => {
    const message = readMessage('{"type":"response.create","background":true,"stream_id":"b"}')
    expect(message.type === 'refused' && message.streamId).toBe('b')
  })
})

describe('encodeError', () => {
  test('has a status, an error and headers', () => {
    const headers = { 'retry-after': '3' }
    const error = new GatewayError('rate_limit_exceeded', 'Slow down.', { headers })
    expect(JSON.parse(encodeError(error, 'a'))).toEqual({
      stream_id: 'a',
      type: 'error',
      status: 429,
      error: {
        message: 'Slow down.',
        type: 'rate_limit_exceeded',
        code: 'rate_limit_exceeded',
        param: null,
      },
      headers,
    })
  })

  test('a previous response that is not found has the code that clients know', () => {
    const error = new GatewayError('not_found', 'Gone.', { param: 'previous_response_id' })
    expect(JSON.parse(encodeError(error, null))).toMatchObject({
      status: 400,
      error: { code: 'previous_response_not_found', message: 'Gone.', param: 'previous_response_id' },
    })
  })
})

describe('ResponseMessages', () => {
  test('passes events on as they are, and nothing after the last one', () => {
    const messages = new ResponseMessages(null)
    expect(messages.push('{"type":"response.created"}')).toBe('{"type":"response.created"}')
    expect(messages.push('[DONE]')).toBeNull()
    expect(messages.isOver).toBe(false)
    expect(messages.push('{"sequence_number":4,"type":"response.completed"}')).not.toBeNull()
    expect([messages.isOver, messages.hasFailed]).toEqual([true, false])
    expect(messages.push('{"type":"response.created"}')).toBeNull()
  })

  test('a failed response ends it, without a second error that could be taken for the next response', () => {
    const messages = new ResponseMessages('a')
    expect(messages.push('{"type":"response.failed"}')).toBe('{"stream_id":"a","type":"response.failed"}')
    expect([messages.isOver, messages.hasFailed]).toEqual([true, true])
    expect(messages.push('{"type":"error"}')).toBeNull()
  })

  test.each([
    ['{"type":"error","error":{"code":"provider_timeout"}}', 504],
    ['{"type":"error","code":"rate_limit_exceeded"}', 429],
    ['{"type":"error","code":"unheard_of"}', 502],
    ['{"type":"error","status":418}', 418],
  ])('an error event has a status: %s', (data, status) => {
    expect(JSON.parse(new ResponseMessages(null).push(data) ?? '')).toMatchObject({ status })
  })
})
