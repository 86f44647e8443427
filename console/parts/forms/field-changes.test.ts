import { expect, test } from 'bun:test'
import { describePath, listChanges } from './field-changes.ts'

test('lists changed fields by path, and no unchanged ones', () => {
  const before = { id: 'a', price: { input: '1', output: '2' }, formats: ['x'], rpm: null }
  const after = { id: 'a', price: { input: '1.5', output: '2' }, formats: ['x', 'y'], rpm: 60 }
  expect(listChanges(before, after)).toEqual([
    { path: 'price.input', before: '1', after: '1.5' },
    { path: 'formats', before: 'x', after: 'x, y' },
    { path: 'rpm', before: 'none', after: '60' },
  ])
})

test('lists every field of an added or removed object', () => {
  expect(listChanges(null, { a: 1 })).toEqual([{ path: 'a', before: undefined, after: '1' }])
  expect(listChanges({ a: true }, null)).toEqual([{ path: 'a', before: 'true', after: undefined }])
})

test('counts the items of a list of objects', () => {
  const one = { when: { tier: 'flex' }, input: '1' }
  expect(listChanges({ variants: [one] }, { variants: [{ ...one, input: '2' }, one] })).toEqual([
    { path: 'variants[0].input', before: '1', after: '2' },
    { path: 'variants[1].when.tier', before: undefined, after: 'flex' },
    { path: 'variants[1].input', before: undefined, after: '1' },
  ])
})

test('says a path in words', () => {
  expect(describePath('price.variants[1].cache_read')).toBe('Price › variants 2 › cache read')
  expect(describePath('base_url')).toBe('Base URL')
  expect(describePath('rpm')).toBe('RPM')
})
