import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type CountedRequest, Recount, UsageSums } from './aggregate.ts'

const DAY_MS = 86_400_000

const request = fc.record({
  accountId: fc.constantFrom('a', 'b'),
  keyId: fc.constantFrom('k', 'l'),
  model: fc.constant('m'),
  supplier: fc.constantFrom('s', null),
  usage: fc.constant({ input: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 1, images: 0 }),
  amountNano: fc.bigInt({ min: 0n, max: 9n }),
  costNano: fc.bigInt({ min: 0n, max: 9n }),
  outcome: fc.constantFrom('completed' as const, 'client_left' as const),
  startedAtMs: fc.nat({ max: 5 * DAY_MS }),
  firstByteMs: fc.option(fc.nat({ max: 100 })),
  durationMs: fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 2 * DAY_MS })),
})

test('days that are given are complete, in order, and together hold every request once', () => {
  fc.assert(
    fc.property(fc.array(request), (requests) => {
      const inOrder = requests.toSorted((left, right) => left.startedAtMs - right.startedAtMs)
      const recount = new Recount()
      const days = inOrder.flatMap((one) => {
        const complete = recount.takeComplete(one.startedAtMs)
        expect(recount.add(one)).toBe(true)
        return complete
      })
      days.push(...recount.takeRest())
      expect(days.map(({ day }) => day)).toEqual(
        [...new Set(days.map(({ day }) => day))].sort((a, b) => a - b),
      )
      const whole = new UsageSums('hour')
      for (const one of requests) whole.add(one)
      const place = (total: { startMs: number; group: object }) =>
        JSON.stringify([total.startMs, total.group])
      const sorted = <T extends { startMs: number; group: object }>(totals: readonly T[]) =>
        totals.toSorted((left, right) => (place(left) < place(right) ? -1 : 1))
      expect(sorted(days.flatMap(({ hours }) => hours))).toEqual(sorted(whole.totals()))
    }),
  )
})

test('a request that ended before it started is told when its day is gone', () => {
  const recount = new Recount()
  const [sample] = fc.sample(request, { numRuns: 1, seed: 1 })
  const late: CountedRequest = {
    ...(sample as CountedRequest),
    startedAtMs: 3 * DAY_MS,
    durationMs: -2 * DAY_MS,
  }
  recount.takeComplete(late.startedAtMs)
  expect(recount.add(late)).toBe(false)
})
