import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  canSpend,
  isOver,
  remaining,
  resetSeconds,
  spend,
  UNOPENED,
  WINDOW_MS,
  type Window,
} from './window.ts'

const OPENED_MS = 1_000_000

describe('a window', () => {
  const window = spend(UNOPENED, 3, OPENED_MS)

  test('opens with its first spend', () => {
    expect(window).toEqual({ openedAtMs: OPENED_MS, spent: 3 })
    expect(spend(window, 2, OPENED_MS + 59_999)).toEqual({ openedAtMs: OPENED_MS, spent: 5 })
  })

  test('is over after exactly a minute, and the next spend opens a new one', () => {
    expect(isOver(window, OPENED_MS + WINDOW_MS - 1)).toBe(false)
    expect(isOver(window, OPENED_MS + WINDOW_MS)).toBe(true)
    expect(spend(window, 1, OPENED_MS + WINDOW_MS)).toEqual({ openedAtMs: OPENED_MS + WINDOW_MS, spent: 1 })
  })

  test('is over when the clock was set back to before it opened, so that no wait exceeds a minute', () => {
    const earlierMs = OPENED_MS - 3_600_000
    expect(spend(window, 1, earlierMs)).toEqual({ openedAtMs: earlierMs, spent: 1 })
    expect(resetSeconds(window, earlierMs)).toBe(0)
  })

  test('takes what fits and nothing more', () => {
    expect(canSpend(window, { amount: 7, limit: 10 }, OPENED_MS)).toBe(true)
    expect(canSpend(window, { amount: 8, limit: 10 }, OPENED_MS)).toBe(false)
    expect(canSpend(window, { amount: 8, limit: 10 }, OPENED_MS + WINDOW_MS)).toBe(true)
    expect(canSpend(UNOPENED, { amount: 11, limit: 10 }, OPENED_MS)).toBe(false)
  })

  test('tells what is left, never less than nothing', () => {
    expect(remaining(window, 10, OPENED_MS)).toBe(7)
    expect(remaining(window, 2, OPENED_MS)).toBe(0)
    expect(remaining(window, 10, OPENED_MS + WINDOW_MS)).toBe(10)
    expect(remaining(UNOPENED, 10, OPENED_MS)).toBe(10)
  })

  test.each([
    [0, 60],
    [1, 60],
    [1_000, 59],
    [59_000, 1],
    [59_999, 1],
    [60_000, 0],
  ])('%i ms after it opened it resets in %i s', (elapsedMs, seconds) => {
    expect(resetSeconds(window, OPENED_MS + elapsedMs)).toBe(seconds)
  })

  test('that was never opened has nothing to reset', () => {
    expect(resetSeconds(UNOPENED, OPENED_MS)).toBe(0)
  })
})

test('whatever is asked and whenever, no window holds more than its limit, and waiting its reset always helps', () => {
  const step = fc.record({
    amount: fc.integer({ min: 1, max: 12 }),
    waitMs: fc.integer({ min: 0, max: 40_000 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limit = 12
      let window: Window = UNOPENED
      let nowMs = OPENED_MS
      for (const { amount, waitMs } of steps) {
        nowMs += waitMs
        if (canSpend(window, { amount, limit }, nowMs)) window = spend(window, amount, nowMs)
        else
          expect(canSpend(window, { amount, limit }, nowMs + resetSeconds(window, nowMs) * 1000)).toBe(true)
        expect(window.spent).toBeLessThanOrEqual(limit)
      }
    }),
  )
})
