import { expect, test } from 'bun:test'
import { decodeCursor, encodeCursor, pageOf } from './cursor.ts'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a cursor decodes to the position it was made from', () => {
  const position = { atMs: 1_768_000_000_000, id: 'req_ü/+"' }
  expect(encodeCursor(position)).toMatch(/^[\w-]+$/)
  expect(decodeCursor(encodeCursor(position))).toEqual(position)
})

test.each([
  ['', 'empty'],
  ['!!!', 'not base64'],
  [encode({ atMs: 1, id: 'a' }), 'an object'],
  [encode([1]), 'too short'],
  [encode([1, 'a', 2]), 'too long'],
  [encode([1.5, 'a']), 'a fraction'],
  [encode(['1', 'a']), 'a text for a number'],
  [encode([1, 2]), 'a number for a text'],
])('%p is refused: %s', (cursor) => {
  expect(() => decodeCursor(cursor)).toThrow('cursor must be')
})

test('a page that just fits is the last one', () => {
  const positionOf = (id: string) => ({ atMs: 1, id })
  expect(pageOf(['a', 'b'], { limit: 2, cursor: null }, positionOf)).toEqual({
    data: ['a', 'b'],
    nextCursor: null,
  })
  expect(pageOf(['a', 'b', 'c'], { limit: 2, cursor: null }, positionOf)).toEqual({
    data: ['a', 'b'],
    nextCursor: encodeCursor({ atMs: 1, id: 'b' }),
  })
})
