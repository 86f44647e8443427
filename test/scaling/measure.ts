import { expect } from 'bun:test'

/** A step that is to stay linear, for lists of any length. */
export interface Work {
  readonly name: string
  /** Makes the input of this length; what that costs is not measured. */
  prepare(items: number): () => unknown
}

export interface Measured {
  readonly name: string
  readonly smallMs: number
  readonly largeMs: number
  readonly growth: number
}

/** Two doublings, so that what grows with the square of a list takes 16 times as long. */
const DOUBLINGS = 2
/** Per doubling. Linear work doubles; the rest is for caches and garbage. */
const MAX_GROWTH_PER_DOUBLING = 2.5
export const MAX_GROWTH = MAX_GROWTH_PER_DOUBLING ** DOUBLINGS

/**
 * What takes less for the long list is not compared: each of two thousand items with every other takes longer than
 * this, and below it the clocks of a busy machine measure other things.
 */
const TOO_QUICK_MS = 12

const ROUNDS = 16
/** From this round on, what earlier work left behind is collected first: collecting it takes longer with a long list. */
const FIRST_CLEAN_ROUND = 3

/** What these runs took of this thread: the time that passes on a busy machine says more about the machine. */
export function timeOf(run: () => unknown, runs: number): number {
  const usedBefore = process.threadCpuUsage()
  const beganMs = performance.now()
  for (let left = runs; left > 0; left -= 1) run()
  const passedMs = performance.now() - beganMs
  const { user, system } = process.threadCpuUsage(usedBefore)
  return Math.min(passedMs, (user + system) / 1_000)
}

/**
 * How the time of a step grows from `items` to four times as many. The short list is taken four times in a row, so that
 * linear work takes equally long for both and the clock errs by as much. The best of several rounds counts; a growth
 * within the bound ends them, and only what is beyond it in the best of all is reported.
 */
export function measure(work: Work, items: number): Measured {
  const { name } = work
  const times = 2 ** DOUBLINGS
  const large = work.prepare(items * times)
  let small: (() => unknown) | null = null
  let smallMs = Number.POSITIVE_INFINITY
  let largeMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round >= FIRST_CLEAN_ROUND) Bun.gc(true)
    largeMs = Math.min(largeMs, timeOf(large, 1))
    if (largeMs <= TOO_QUICK_MS) return { name, smallMs, largeMs, growth: 0 }
    small ??= work.prepare(items)
    const tookMs = timeOf(small, times)
    // Less than that is a clock that has not ticked yet: not even the square of the list is so much quicker.
    if (tookMs > TOO_QUICK_MS / 8) smallMs = Math.min(smallMs, tookMs / times)
    if (largeMs / smallMs <= MAX_GROWTH) break
  }
  return { name, smallMs, largeMs, growth: largeMs / smallMs }
}

/**
 * Fails with the steps that grow faster than their list. What no longer fits a cache of the processor grows so once; a
 * step that is worse than linear does so again from the long list on.
 */
export function expectLinear(works: readonly Work[], items: number): void {
  const steep = works.flatMap((work) => {
    const measured = measure(work, items)
    if (measured.growth <= MAX_GROWTH) return []
    const { growth } = measure(work, items * 2 ** DOUBLINGS)
    // A list that is too long to be taken at all says nothing.
    return growth > MAX_GROWTH || growth < 2 ? [measured] : []
  })
  expect(steep.map(describeGrowth)).toEqual([])
}

function describeGrowth({ name, smallMs, largeMs, growth }: Measured): string {
  return `${name}: ${smallMs.toFixed(1)} ms for a quarter of the items, ${largeMs.toFixed(1)} ms for all: ${growth.toFixed(1)} times`
}
