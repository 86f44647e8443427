import { describe, expect, test } from 'bun:test'
import { SUPPLIER_TYPES_SERVED, supplierTypeOf } from './index.ts'
import type { CallQuery } from './supplier-type.ts'

const QUERY: CallQuery = {
  format: 'chat-completion',
  baseUrl: 'https://up.example/v1',
  secret: 'k-1',
  upstreamModel: 'm-1',
  stream: false,
}

const target = (name: Parameters<typeof supplierTypeOf>[0], fields: Partial<CallQuery>) =>
  supplierTypeOf(name).target({ ...QUERY, ...fields })

const ADDRESSES: [type: Parameters<typeof supplierTypeOf>[0], fields: Partial<CallQuery>, url: string][] = [
  ['openai', {}, 'https://up.example/v1/chat/completions'],
  ['openai', { format: 'responses' }, 'https://up.example/v1/responses'],
  [
    'openai',
    { format: 'responses', operation: 'count-tokens' },
    'https://up.example/v1/responses/input_tokens',
  ],
  ['openai-compatible', { baseUrl: 'https://up.example/v1/' }, 'https://up.example/v1/chat/completions'],
  ['openai-compatible', { format: 'responses' }, 'https://up.example/v1/responses'],
  ['anthropic', { format: 'messages', baseUrl: 'https://up.example/' }, 'https://up.example/v1/messages'],
  [
    'anthropic',
    { format: 'messages', baseUrl: 'https://up.example', operation: 'count-tokens' },
    'https://up.example/v1/messages/count_tokens',
  ],
  [
    'google',
    { format: 'content-generation', baseUrl: 'https://up.example' },
    'https://up.example/v1beta/models/m-1:generateContent',
  ],
  [
    'google',
    { format: 'content-generation', baseUrl: 'https://up.example/', stream: true },
    'https://up.example/v1beta/models/m-1:streamGenerateContent?alt=sse',
  ],
  [
    'google',
    { format: 'content-generation', baseUrl: 'https://up.example', operation: 'count-tokens', stream: true },
    'https://up.example/v1beta/models/m-1:countTokens',
  ],
  [
    'google',
    { format: 'content-generation', baseUrl: 'https://up.example', upstreamModel: 'tunedModels/a b?c:free' },
    'https://up.example/v1beta/tunedModels/a%20b%3Fc:free:generateContent',
  ],
]

describe('where a call goes', () => {
  for (const [type, fields, url] of ADDRESSES) {
    test(`${type} ${JSON.stringify(fields)}`, () => expect(target(type, fields).url).toBe(url))
  }

  test('the sandbox has every format at one origin, however its address is written', () => {
    for (const baseUrl of [
      'http://127.0.0.1:9',
      'http://127.0.0.1:9/',
      'http://127.0.0.1:9/v1',
      'http://127.0.0.1:9/v1beta/',
    ]) {
      const url = (format: CallQuery['format']) => target('sandbox', { format, baseUrl }).url
      expect(url('chat-completion')).toBe('http://127.0.0.1:9/v1/chat/completions')
      expect(url('responses')).toBe('http://127.0.0.1:9/v1/responses')
      expect(url('messages')).toBe('http://127.0.0.1:9/v1/messages')
      expect(url('content-generation')).toBe('http://127.0.0.1:9/v1beta/models/m-1:generateContent')
    }
  })
})

test('each type carries the credential as its vendor does', () => {
  expect(target('openai', {}).headers).toEqual({
    'content-type': 'application/json',
    authorization: 'Bearer k-1',
  })
  expect(target('anthropic', { format: 'messages' }).headers).toEqual({
    'content-type': 'application/json',
    'x-api-key': 'k-1',
    'anthropic-version': '2023-06-01',
  })
  expect(target('google', { format: 'content-generation' }).headers).toEqual({
    'content-type': 'application/json',
    'x-goog-api-key': 'k-1',
  })
})

test('every type has an address for each of its formats, and none for others', () => {
  for (const type of SUPPLIER_TYPES_SERVED) {
    for (const format of type.formats)
      expect(type.target({ ...QUERY, format }).url).toStartWith('https://up.')
  }
  expect(() => target('anthropic', {})).toThrow('no address')
  expect(() => target('openai', { operation: 'count-tokens' })).toThrow('no address')
  expect(() => target('sandbox', { format: 'images' })).toThrow('no address')
})
