import { expect, test } from 'bun:test'
import { pauseAfter } from './supervisor.ts'

test('restarts at once after the first crash, then with doubling delays up to 30 seconds', () => {
  expect([0, 1, 2, 3, 4].map(pauseAfter)).toEqual([0, 0, 100, 200, 400])
  expect(pauseAfter(11)).toBe(30_000)
  expect(pauseAfter(5_000)).toBe(30_000)
})
