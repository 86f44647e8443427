import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { droppedNames } from './losses.ts'

test('names of parameters stay as they are', () => {
  const names = ['top_k', 'web_search.allowed_domains', 'tool_calls.mcp']
  expect(droppedNames(names)).toEqual(names)
})

test('what a header cannot carry is written in percent', () => {
  expect(droppedNames(['a\r\nb: c', 'ключ', 'a,b', '\ud800x'])).toEqual([
    'a%0D%0Ab:%20c',
    '%D0%BA%D0%BB%D1%8E%D1%87',
    'a%2Cb',
    '%EF%BF%BDx',
  ])
})

test('whatever a client calls its fields, the header can be sent and stays small', () => {
  const anyName = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 200 }), (names) => {
      const value = droppedNames(names).join(', ')
      expect(new Headers({ x: value }).get('x')).toBe(value.trim())
      expect(value.length).toBeLessThan(50 * (64 * 9 + 2))
    }),
  )
})
