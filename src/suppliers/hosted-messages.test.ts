import { describe, expect, test } from 'bun:test'
import { rewriteMembers } from './hosted-messages.ts'

describe('a body for a host of messages models', () => {
  test('loses and replaces members and keeps all other text unchanged', () => {
    const body =
      '{ "model":"m",\n"seed" : 12345678901234567890, "stream": true,"note":"\\u0041 {,}" ,"x":{"model":1.0}}'
    expect(rewriteMembers(body, { model: null, stream: null, version: 'v' })).toBe(
      '{"version":"v","seed" : 12345678901234567890,"note":"\\u0041 {,}" ,"x":{"model":1.0}}',
    )
  })

  test('takes the place of what a client wrote under the same name', () => {
    expect(rewriteMembers('{"ver\\u0073ion":"mine","a":1}', { version: 'v' })).toBe('{"version":"v","a":1}')
  })

  test('may end up without members', () => {
    expect(rewriteMembers('{"model":"m"}', { model: null })).toBe('{}')
  })
})
