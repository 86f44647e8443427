import { expect, test } from 'bun:test'
import { patchRow } from './use-optimistic.ts'

test('finds a row by itself, in a list and in pages', () => {
  const row = { id: 'a', enabled: true }
  const changed = { id: 'a', enabled: false }
  const other = { id: 'b', enabled: true }
  expect(patchRow(row, 'a', { enabled: false })).toEqual(changed)
  expect(patchRow({ data: [other, row] }, 'a', { enabled: false })).toEqual({ data: [other, changed] })
  const pages = {
    pages: [
      { data: [other], next_cursor: 'x' },
      { data: [row], next_cursor: null },
    ],
  }
  expect(patchRow(pages, 'a', { enabled: false })).toEqual({
    pages: [
      { data: [other], next_cursor: 'x' },
      { data: [changed], next_cursor: null },
    ],
  })
  expect(patchRow(undefined, 'a', {})).toBeUndefined()
})
