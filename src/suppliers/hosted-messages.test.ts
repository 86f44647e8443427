import { describe, expect, test } from 'bun:test'
import { betasOf, rewriteMembers, withAddedBetas } from './hosted-messages.ts'

describe('a body for a host of messages models', () => {
  test('loses and replaces members and keeps all other text unchanged', () => {
    const body =
      '{ "model":"m",\n"seed" : 12345678901234567890, "stream": true,"note":"\\u0041 {,}" ,"x":{"model":1.0}}'
    expect(rewriteMembers(body, { model: null, stream: null, version: 'v' })).toBe(
      '{"version":"v","seed":12345678901234567890,"note":"\\u0041 {,}","x":{"model":1.0}}',
    )
  })

  test('takes the place of what a client wrote under the same name', () => {
    expect(rewriteMembers('{"ver\\u0073ion":"mine","a":1}', { version: 'v' })).toBe('{"version":"v","a":1}')
  })

  test('may end up without members', () => {
    expect(rewriteMembers('{"model":"m"}', { model: null })).toBe('{}')
  })
})

test('only features that the host takes are asked of it, each once', () => {
  const headers = new Headers({ 'anthropic-beta': 'b-2, unheard-of ,a-1,b-2' })
  expect(betasOf(headers, new Set(['a-1', 'b-2']))).toEqual(['b-2', 'a-1'])
  expect(betasOf(new Headers(), new Set(['a-1']))).toEqual([])
  expect(betasOf(null, new Set(['a-1']))).toEqual([])
})

test('an operator adds features to the usual ones', () => {
  expect([...withAddedBetas(['a-1'], undefined)]).toEqual(['a-1'])
  expect([...withAddedBetas(['a-1'], 'b-2, c-3 d-4')]).toEqual(['a-1', 'b-2', 'c-3', 'd-4'])
})
