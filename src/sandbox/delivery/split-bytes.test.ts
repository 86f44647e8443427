import { expect, test } from 'bun:test'
import { splitBytes } from './split-bytes.ts'

const bytes = new TextEncoder().encode('aé😀b')

test('leaves bytes whole without a fault', () => {
  expect([...splitBytes(bytes, null)]).toEqual([bytes])
})

test('cuts at every byte', () => {
  const chunks = [...splitBytes(bytes, { type: 'split-utf8', at: 'every-byte' })]
  expect(chunks.map((chunk) => chunk.length)).toEqual(Array(bytes.length).fill(1))
  expect(Buffer.concat(chunks).toString()).toBe('aé😀b')
})

test('cuts only inside characters of several bytes', () => {
  const chunks = [...splitBytes(bytes, { type: 'split-utf8', at: 'inside-characters' })]
  expect(chunks.map((chunk) => chunk.length)).toEqual([2, 2, 1, 1, 2])
  expect(Buffer.concat(chunks).toString()).toBe('aé😀b')
})
