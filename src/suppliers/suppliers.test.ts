import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Format, SUPPLIER_TYPES } from '../vocabulary/supply.ts'
import { AccessTokens } from './access-tokens.ts'
import { SUPPLIER_TYPES_SERVED, supplierTypeOf } from './index.ts'
import type { CallQuery, CallTarget, CallTools, SupplierOperation } from './supplier-type.ts'

type TypeName = Parameters<typeof supplierTypeOf>[0]

const QUERY: CallQuery = {
  format: 'chat-completion',
  baseUrl: 'https://up.example/v1',
  secret: 'k-1',
  options: {},
  upstreamModel: 'm-1',
  stream: false,
  body: '{"model":"m-1"}',
  clientHeaders: null,
}

const clock = { nowMs: () => 0 }
const TOOLS: CallTools = {
  clock,
  tokens: new AccessTokens(clock),
  sandboxUrl: null,
  call: () => Promise.reject(new Error('nothing may be called here')),
}

/** Of a type that never has to fetch anything. */
function target(name: TypeName, fields: Partial<CallQuery>): CallTarget {
  const found = supplierTypeOf(name).target({ ...QUERY, ...fields }, TOOLS)
  if (found instanceof Promise) throw new Error('something was fetched')
  return found
}

const ADDRESSES: [type: TypeName, fields: Partial<CallQuery>, url: string][] = [
  ['openai', {}, 'https://up.example/v1/chat/completions'],
  ['openai', { format: 'responses' }, 'https://up.example/v1/responses'],
  [
    'openai',
    { format: 'responses', operation: 'count-tokens' },
    'https://up.example/v1/responses/input_tokens',
  ],
  ['openai-compatible', { baseUrl: 'https://up.example/v1/' }, 'https://up.example/v1/chat/completions'],
  ['openai-compatible', { format: 'responses' }, 'https://up.example/v1/responses'],
  ['openai', { format: 'images', operation: 'generate-image' }, 'https://up.example/v1/images/generations'],
  ['openai-compatible', { format: 'images', operation: 'edit-image' }, 'https://up.example/v1/images/edits'],
  [
    'azure-openai',
    { format: 'images', operation: 'edit-image', options: { api_version: '2025-04-01-preview' } },
    'https://up.example/v1/openai/deployments/m-1/images/edits?api-version=2025-04-01-preview',
  ],
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

/** What a type needs before it has an address at all. */
const NEEDED: Partial<Record<TypeName, Partial<CallQuery>>> = {
  vertex: { secret: '{"client_email":"a@b","private_key":"-"}', options: { project: 'p', location: 'l' } },
}

/** One operation of each format that does not answer with text. */
const OPERATIONS: Readonly<Partial<Record<Format, SupplierOperation>>> = {
  images: 'edit-image',
  embeddings: 'embed',
  rerank: 'rerank',
  moderations: 'moderate',
  transcriptions: 'transcribe',
  speech: 'speak',
  cohere: 'embed',
  voyage: 'embed',
  titan: 'embed',
}

test('every type has an address for each of its formats, and none for others', async () => {
  const tokens = new AccessTokens(clock)
  await tokens.get(`https://oauth2.googleapis.com/token ${NEEDED.vertex?.secret}`, () =>
    Promise.resolve({ token: 't', expiresAtMs: 1e9 }),
  )
  for (const type of SUPPLIER_TYPES_SERVED) {
    for (const format of type.formats) {
      const operation = OPERATIONS[format] ?? 'generate'
      const query = { ...QUERY, ...NEEDED[type.name], format, operation } as const
      expect((await type.target(query, { ...TOOLS, tokens })).url).toStartWith('https://up.')
    }
    const query = { ...QUERY, ...NEEDED[type.name], format: 'images' } as const
    if (!type.formats.includes('images')) expect(() => type.target(query, TOOLS)).toThrow('no address')
  }
  expect(() => target('anthropic', {})).toThrow('no address')
  expect(() => target('openai', { operation: 'count-tokens' })).toThrow('no address')
  expect(() => target('bedrock', { format: 'messages', operation: 'count-tokens' })).toThrow('no address')
})

test('every type that a supplier can have is served', () => {
  expect(SUPPLIER_TYPES_SERVED.map(({ name }) => name)).toEqual([...SUPPLIER_TYPES])
})

test('docs/suppliers/suppliers.md describes every type, its formats and its options', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/suppliers/suppliers.md'), 'utf8')
  const words = (cell = '') => [...cell.matchAll(/`([a-z_-]+)`/g)].map(([, word]) => word ?? '')
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('| [`'))
    .map((line) => line.split('|'))
  const documented: unknown = cells.map(([, type, formats, , options]) => [
    words(type),
    words(formats),
    words(options),
  ])
  const built = SUPPLIER_TYPES_SERVED.map((type) => [
    [type.name],
    type.name === 'sandbox' ? [] : type.formats,
    type.options ?? [],
  ])
  expect(documented).toEqual(built)
  for (const { name } of SUPPLIER_TYPES_SERVED) expect(page).toContain(`\n## ${name}\n`)
})
