import { expect, test } from 'bun:test'
import type { PriceDifference } from '../../api/wire.ts'
import { describeEffect, doesFollow, effectOf, sortDifferences } from './price-states.ts'

function difference(change: object): PriceDifference {
  return { state: 'changed', price_source: 'catalog', catalog: {}, bill: null, ...change } as PriceDifference
}

test('adds up what a month would have cost', () => {
  const month = (before: string, after: string) =>
    difference({ bill: { present_amount: before, catalog_amount: after } })
  expect(effectOf([difference({})])).toBeNull()
  expect(effectOf([month('1', '2'), difference({}), month('0.5', '0.000000001')])).toEqual({
    before: '1.5',
    after: '2.000000001',
  })
})

test('describes the effect with its sign and share', () => {
  expect(describeEffect({ before: '10', after: '11' })).toBe('+1.00 (+10%)')
  expect(describeEffect({ before: '8', after: '7' })).toBe('−1.00 (−12.5%)')
  expect(describeEffect({ before: '0', after: '7' })).toBe('+7.00')
  expect(describeEffect({ before: '7', after: '7' })).toBe('no change')
})

test('applies to all that follow the catalog and differ from it', () => {
  expect(doesFollow(difference({}))).toBe(true)
  expect(doesFollow(difference({ state: 'unpriced' }))).toBe(true)
  expect(doesFollow(difference({ price_source: 'manual' }))).toBe(false)
  expect(doesFollow(difference({ state: 'same' }))).toBe(false)
  expect(doesFollow(difference({ state: 'unpriced', catalog: null }))).toBe(false)
})

test('what asks for a decision comes first', () => {
  const states = ['new', 'same', 'missing', 'changed', 'unpriced'].map((state) => difference({ state }))
  const sorted = sortDifferences(states).map(({ state }) => state)
  expect(sorted).toEqual(['changed', 'unpriced', 'missing', 'new', 'same'])
})
