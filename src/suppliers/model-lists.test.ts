import { describe, expect, test } from 'bun:test'
import type { SupplierTypeName } from '../vocabulary/supply.ts'
import { modelListOf } from './index.ts'

const BASE = 'https://up.example'
const list = (type: SupplierTypeName, format: 'messages' | 'content-generation' | 'responses') => {
  const found = modelListOf({ type, formats: [format] })
  if (found === null) throw new Error(`${type} has no list`)
  return found
}

describe('where a list is', () => {
  test('under the address of an OpenAI-style supplier, in one piece', () => {
    expect(list('openai', 'responses').address(`${BASE}/v1/`, null)).toBe(`${BASE}/v1/models`)
    expect(list('openai-compatible', 'responses').address(`${BASE}/v1`, null)).toBe(`${BASE}/v1/models`)
  })

  test('page by page elsewhere', () => {
    expect(list('anthropic', 'messages').address(BASE, null)).toBe(`${BASE}/v1/models?limit=1000`)
    expect(list('anthropic', 'messages').address(BASE, 'a b')).toBe(
      `${BASE}/v1/models?limit=1000&after_id=a%20b`,
    )
    expect(list('google', 'content-generation').address(BASE, 'a&b')).toBe(
      `${BASE}/v1beta/models?pageSize=1000&pageToken=a%26b`,
    )
  })

  test('at one origin of the sandbox, however its address is written', () => {
    for (const baseUrl of [BASE, `${BASE}/v1`, `${BASE}/v1beta/`]) {
      expect(list('sandbox', 'messages').address(baseUrl, null)).toBe(`${BASE}/v1/models`)
      expect(list('sandbox', 'content-generation').address(baseUrl, null)).toStartWith(
        `${BASE}/v1beta/models?`,
      )
    }
  })

  test('nowhere for suppliers that have none', () => {
    for (const type of ['azure-openai', 'bedrock', 'vertex'] as const) {
      expect(modelListOf({ type, formats: ['messages'] })).toBeNull()
    }
  })
})

describe('what a list says', () => {
  test('in the way of OpenAI, with or without the envelope', () => {
    const models = [{ id: 'a' }, { id: 'b', object: 'model' }, { id: 7 }, null]
    for (const body of [{ object: 'list', data: models }, models])
      expect(list('openai', 'responses').read(body)).toEqual({ names: ['a', 'b'], cursor: null })
  })

  test('in the way of Anthropic, until there is no more', () => {
    const { read } = list('anthropic', 'messages')
    const page = { data: [{ id: 'a' }], first_id: 'a', last_id: 'a' }
    expect(read({ ...page, has_more: true })).toEqual({ names: ['a'], cursor: 'a' })
    expect(read({ ...page, has_more: false })).toEqual({ names: ['a'], cursor: null })
  })

  test('in the way of Google, without the collection in front', () => {
    const { read, plainName } = list('google', 'content-generation')
    expect(read({ models: [{ name: 'models/a' }], nextPageToken: 't' })).toEqual({
      names: ['a'],
      cursor: 't',
    })
    expect(read({ models: [{ name: 'tunedModels/b' }] })).toEqual({ names: ['tunedModels/b'], cursor: null })
    expect(plainName('models/a')).toBe('a')
  })

  test('nothing when it is no list', () => {
    for (const format of ['responses', 'messages', 'content-generation'] as const) {
      const type = ({ responses: 'openai', messages: 'anthropic', 'content-generation': 'google' } as const)[
        format
      ]
      for (const body of [null, 'text', {}, { data: {} }, { models: 'x' }]) {
        expect(list(type, format).read(body)).toBeNull()
      }
    }
  })
})
