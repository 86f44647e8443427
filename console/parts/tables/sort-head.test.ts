import { expect, test } from 'bun:test'
import { ariaSort, nextSort } from './sort-head.tsx'

test('a column orders a list one way, then the other, then not at all', () => {
  const clicks = (startsDescending: boolean) => {
    const first = nextSort('', 'name', startsDescending)
    const second = nextSort(first, 'name', startsDescending)
    return [first, second, nextSort(second, 'name', startsDescending)]
  }
  expect(clicks(false)).toEqual(['name', '-name', ''])
  expect(clicks(true)).toEqual(['-name', 'name', ''])
  expect(nextSort('-spent', 'name', false)).toBe('name')
})

test('a header tells the order of its own column only', () => {
  expect(['name', '-name', 'spent', ''].map((sort) => ariaSort(sort, 'name'))).toEqual([
    'ascending',
    'descending',
    'none',
    'none',
  ])
})
