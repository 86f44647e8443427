import { expect, test } from 'bun:test'
import { WrongTokens } from './attempt-throttle.ts'

const MINUTE_MS = 60_000

function start() {
  const clock = { timeMs: 0, nowMs: () => clock.timeMs }
  return { clock, tokens: new WrongTokens(clock) }
}

test('answers ten, then makes the address wait twice as long each time', () => {
  const { clock, tokens } = start()
  const waits: number[] = []
  for (let number = 0; number < 10; number += 1) waits.push(tokens.note('a').waitMs)
  expect(waits).toEqual(Array<number>(10).fill(0))
  expect(tokens.note('a').waitMs).toBe(1_000)
  expect(tokens.note('b').waitMs).toBe(0)
  clock.timeMs += 1_000
  expect(tokens.note('a').waitMs).toBe(0)
  expect(tokens.note('a').waitMs).toBe(2_000)
})

test('reports a burst once, then once an hour with how many there were', () => {
  const { clock, tokens } = start()
  const reports: (number | null)[] = []
  for (let second = 0; second < 2 * 60 * 60; second += 1) {
    reports.push(tokens.note('a').toReport)
    clock.timeMs += 1_000
  }
  expect(reports.filter((report) => report !== null)).toEqual([1, 3_600])
  clock.timeMs += 15 * MINUTE_MS
  expect(tokens.note('a').toReport).toBe(1)
})

test('reports at most ten bursts a minute and remembers at most a thousand', () => {
  const { clock, tokens } = start()
  const reports = Array.from({ length: 5_000 }, (_, index) => tokens.note(`place ${index}`).toReport)
  expect(reports.filter((report) => report !== null)).toHaveLength(10)
  expect(tokens.size).toBe(1_000)
  clock.timeMs += MINUTE_MS
  // What could not be reported before is not lost.
  expect(tokens.note('place 4999').toReport).toBe(2)
})
