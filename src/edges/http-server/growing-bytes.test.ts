import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { GrowingBytes } from './growing-bytes.ts'

test('gives what was added, in its order, and then has nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 12 }), (pieces) => {
      const growing = new GrowingBytes()
      for (const piece of pieces) growing.add(Buffer.from(piece))
      const all = Buffer.concat(pieces)
      expect(growing.length).toBe(all.length)
      expect(growing.take().equals(all)).toBe(true)
      expect([growing.length, growing.take().length]).toEqual([0, 0])
    }),
  )
})

test('does not copy what comes in one piece', () => {
  const piece = Buffer.from('whole')
  const growing = new GrowingBytes()
  growing.add(piece)
  expect(growing.take().buffer).toBe(piece.buffer)
})

test('does not write to what it was given or has given', () => {
  const growing = new GrowingBytes()
  const first = Buffer.from('abcdef').subarray(0, 3)
  growing.add(first)
  growing.add(Buffer.from('xyz'))
  const all = growing.take()
  growing.add(Buffer.from('1'))
  growing.add(Buffer.from('2'))
  expect([all.toString(), Buffer.from(first.buffer, first.byteOffset, 6).toString()]).toEqual([
    'abcxyz',
    'abcdef',
  ])
})

test('takes little more memory than what it holds, however small the pieces', () => {
  const growing = new GrowingBytes()
  const piece = Buffer.from('x')
  for (let index = 0; index < 100_000; index += 1) growing.add(piece)
  expect(growing.take().buffer.byteLength).toBeLessThan(300_000)
})
