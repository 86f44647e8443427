import { expect, test } from 'bun:test'
import { meaningOf, PAGE_KEYS } from './shortcut-list.ts'

test('letters open pages only after g', () => {
  expect(meaningOf('k', false)).toBeNull()
  expect(meaningOf('g', false)).toEqual({ type: 'prefix' })
  expect(meaningOf('k', true)).toEqual({ type: 'page', to: '/keys' })
  expect(meaningOf('z', true)).toBeNull()
  expect(meaningOf('?', true)).toBeNull()
})

test('each page has one key', () => {
  expect(new Set(Object.values(PAGE_KEYS)).size).toBe(Object.keys(PAGE_KEYS).length)
})
