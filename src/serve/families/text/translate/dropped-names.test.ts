import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { droppedNames } from './losses.ts'

test('parameter names stay unchanged', () => {
  const names = ['top_k', 'web_search.allowed_domains', 'tool_calls.mcp']
  expect(droppedNames(names)).toEqual(names)
})

test('percent-encodes what a header cannot carry', () => {
  expect(droppedNames(['a\r\nb: c', 'ключ', 'a,b', '\ud800x'])).toEqual([
    'a%0D%0Ab:%20c',
    '%D0%BA%D0%BB%D1%8E%D1%87',
    'a%2Cb',
    '%EF%BF%BDx',
  ])
})

test('the header is valid and small for any field names', () => {
  const anyName = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 200 }), (names) => {
      const value = droppedNames(names).join(', ')
      expect(new Headers({ x: value }).get('x')).toBe(value.trim())
      expect(value.length).toBeLessThan(50 * (64 * 9 + 2))
    }),
  )
})
