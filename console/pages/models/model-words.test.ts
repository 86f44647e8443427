import { describe, expect, test } from 'bun:test'
import type { Model } from '../../api/wire.ts'
import { describeLimit, explainLimit, filterModels, NO_FILTERS } from './model-words.ts'

function model(id: string, some: Partial<Model> = {}): Model {
  return {
    id,
    display_name: '',
    description: '',
    owned_by: 'acme',
    kinds: ['text'],
    input_token_limit: null,
    output_token_limit: null,
    formats: ['chat-completion'],
    suppliers: ['acme'],
    source: 'shared',
    routeable: true,
    vision: true,
    price: price('1', '2'),
    markup_percent: null,
    limits: { rpm: null, tpm: null },
    ...some,
  }
}

function price(input: string, output: string): Model['price'] {
  return { input, output, cache_read: '0', cache_write: '0', image: '0' }
}

const MODELS = [
  model('zebra', { description: 'Fast and small', suppliers: ['north'], input_token_limit: 1_000 }),
  model('apple', { kinds: ['image'], formats: ['images'], routeable: false, price: price('11', '12') }),
  model('mango', { price: price('10', '1') }),
]

function idsOf(filters: Partial<typeof NO_FILTERS>): string[] {
  return filterModels(MODELS, { ...NO_FILTERS, ...filters }).map(({ id }) => id)
}

describe('the list of models', () => {
  test('matches all words in any field', () => {
    expect(idsOf({ q: 'small FAST' })).toEqual(['zebra'])
    expect(idsOf({ q: 'small slow' })).toEqual([])
  })

  test('is filtered by kind, format, supplier and availability', () => {
    expect(idsOf({ kind: 'image' })).toEqual(['apple'])
    expect(idsOf({ format: 'chat-completion' })).toEqual(['mango', 'zebra'])
    expect(idsOf({ supplier: 'north' })).toEqual(['zebra'])
    expect(idsOf({ routeable: 'yes' })).toEqual(['mango', 'zebra'])
  })

  test('is sorted by number, not by digit', () => {
    expect(idsOf({ sort: 'input' })).toEqual(['zebra', 'mango', 'apple'])
    expect(idsOf({ sort: 'output' })).toEqual(['mango', 'zebra', 'apple'])
    expect(idsOf({ sort: 'context' })).toEqual(['zebra', 'apple', 'mango'])
    expect(idsOf({ sort: 'nonsense' })).toEqual(['apple', 'mango', 'zebra'])
  })
})

test('describes a limit, its origin and how to raise it', () => {
  expect(describeLimit({ value: 1_200, constraint: 'account' }, 'requests')).toBe('1,200 requests a minute')
  expect(describeLimit(null, 'tokens')).toBe('no limit')
  expect(explainLimit({ value: 1_200, constraint: 'account' })).toContain('A higher tier raises it')
  expect(explainLimit({ value: 5, constraint: 'credentials' })).toContain('credentials at the suppliers')
  expect(explainLimit({ value: 0, constraint: 'credentials' })).toContain('No supplier can serve')
  expect(explainLimit(null)).toContain('Neither')
})
