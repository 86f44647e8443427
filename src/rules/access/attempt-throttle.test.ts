import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AttemptThrottle, type ThrottleRule, waitAfter } from './attempt-throttle.ts'

const RULE: ThrottleRule = {
  free: 3,
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  forgetMs: 600_000,
  mostKept: 4,
}

function start(rule = RULE) {
  const clock = { timeMs: 0, nowMs: () => clock.timeMs }
  return { clock, throttle: new AttemptThrottle(clock, rule) }
}

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f']
const steps = fc.array(
  fc.record({
    key: fc.constantFrom(...KEYS),
    waitMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 2_000 }),
      fc.integer({ min: 0, max: 700_000 }),
    ),
    // Mostly guesses: what is forgiven and taken back must not help to guess faster.
    end: fc.constantFrom('wrong', 'wrong', 'wrong', 'taken back'),
  }),
  { maxLength: 200 },
)

describe('attempts', () => {
  test('that are let through are as far apart as their number asks, and no more is kept than is allowed', () => {
    fc.assert(
      fc.property(steps, (series) => {
        // Room for all keys, so that none is forgotten for want of it.
        const { clock, throttle } = start({ ...RULE, mostKept: KEYS.length })
        const model = new Map<string, { wrong: number; lastMs: number }>()
        for (const { key, waitMs, end } of series) {
          clock.timeMs += waitMs
          if (throttle.waitMs(key) > 0) continue
          const known = model.get(key)
          const isForgotten = known === undefined || clock.timeMs - known.lastMs >= RULE.forgetMs
          const before = isForgotten ? { wrong: 0, lastMs: Number.NEGATIVE_INFINITY } : known
          expect(clock.timeMs - before.lastMs).toBeGreaterThanOrEqual(waitAfter(before.wrong, RULE))
          throttle.begin(key)
          if (end === 'taken back') throttle.giveBack(key)
          else model.set(key, { wrong: before.wrong + 1, lastMs: clock.timeMs })
          expect(throttle.size).toBeLessThanOrEqual(KEYS.length)
        }
      }),
    )
  })

  test('within any hour are few, however they are timed', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 300 }), (pauses) => {
        const { clock, throttle } = start()
        const admittedAtMs: number[] = []
        for (const pause of pauses) {
          clock.timeMs += pause
          if (throttle.waitMs('a') > 0) continue
          throttle.begin('a')
          admittedAtMs.push(clock.timeMs)
        }
        // Three free ones, six while the wait grows from one second to a minute, then one a minute.
        const most = RULE.free + 6 + 60
        for (const start of admittedAtMs) {
          const inHour = admittedAtMs.filter((atMs) => atMs >= start && atMs < start + 3_600_000)
          expect(inHour.length).toBeLessThanOrEqual(most)
        }
      }),
    )
  })

  test('are remembered of few only, those longest without one forgotten first', () => {
    const { throttle } = start()
    for (let attempt = 0; attempt < 3; attempt += 1) for (const key of ['a', 'b']) throttle.begin(key)
    for (const key of ['c', 'd', 'e']) throttle.begin(key)
    expect(throttle.size).toBe(4)
    expect(throttle.waitMs('a')).toBe(0)
    expect(throttle.waitMs('b')).toBe(1_000)
  })

  test('count from their beginning, and are forgiven by success or time', () => {
    const { clock, throttle } = start()
    expect([1, 2, 3].map(() => throttle.begin('a'))).toEqual([1, 2, 3])
    expect(throttle.waitMs('a')).toBe(1_000)
    throttle.forgive('a')
    expect(throttle.waitMs('a')).toBe(0)
    for (let attempt = 0; attempt < 9; attempt += 1) throttle.begin('a')
    expect(throttle.waitMs('a')).toBe(60_000)
    clock.timeMs += RULE.forgetMs
    expect(throttle.waitMs('a')).toBe(0)
    expect(throttle.size).toBe(0)
  })
})
