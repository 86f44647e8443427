import { expect, test } from 'bun:test'
import { pauseAfter } from './supervisor.ts'

test('the first death costs no pause, each further quick one twice as much, and never more than half a minute', () => {
  expect([0, 1, 2, 3, 4].map(pauseAfter)).toEqual([0, 0, 100, 200, 400])
  expect(pauseAfter(11)).toBe(30_000)
  expect(pauseAfter(5_000)).toBe(30_000)
})
