import { expect, test } from 'bun:test'
import { tokensPerSecond } from './speed.ts'

const EVENT = { atMs: 1_000, name: null, data: '' }

test('the speed of a stream counts from its first byte, that of a whole response from the request', () => {
  expect(tokensPerSecond(100, { events: [EVENT], firstByteMs: 1_000, durationMs: 3_000 })).toBe(50)
  expect(tokensPerSecond(100, { events: [], firstByteMs: 3_000, durationMs: 3_000 })).toBe(33)
  expect(tokensPerSecond(5, { events: [], firstByteMs: 0, durationMs: 2_000 })).toBe(2.5)
})

test('no speed is shown when there is nothing to tell', () => {
  expect(tokensPerSecond(100, { events: [], firstByteMs: null, durationMs: null })).toBeNull()
  expect(tokensPerSecond(0, { events: [], firstByteMs: 1, durationMs: 2_000 })).toBeNull()
  expect(tokensPerSecond(9, { events: [EVENT], firstByteMs: 1_000, durationMs: 1_001 })).toBeNull()
})
