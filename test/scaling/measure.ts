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

const SMALL_RUNS_A_ROUND = 2
const ROUNDS = 12

interface Time {
  readonly passedMs: number
  /** Less what other processes took of it on a busy machine, and perhaps less: systems note it with every tick. */
  readonly usedMs: number
}

function timeOf(run: () => unknown): Time {
  const usedBefore = process.threadCpuUsage()
  const beganMs = performance.now()
  run()
  const passedMs = performance.now() - beganMs
  const { user, system } = process.threadCpuUsage(usedBefore)
  return { passedMs, usedMs: Math.min(passedMs, (user + system) / 1_000) }
}

/**
 * How the time of a step grows from `items` to four times as many: the best run of either length counts. A growth beyond
 * the bound is measured again, up to twelve rounds, and every round can only bring the best of both down. What grows
 * with the square stays beyond it however often it is measured.
 */
export function measure(work: Work, items: number): Measured {
  const { name } = work
  const large = work.prepare(items * 2 ** DOUBLINGS)
  const small = work.prepare(items)
  let smallMs = Number.POSITIVE_INFINITY
  let largeMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    largeMs = Math.min(largeMs, timeOf(large).usedMs)
    if (largeMs <= TOO_QUICK_MS) return { name, smallMs, largeMs, growth: 0 }
    for (let run = 0; run < SMALL_RUNS_A_ROUND; run += 1) smallMs = Math.min(smallMs, timeOf(small).passedMs)
    if (largeMs / smallMs <= MAX_GROWTH) break
  }
  return { name, smallMs, largeMs, growth: largeMs / smallMs }
}

/** Fails with the steps that grow faster than their list. */
export function expectLinear(works: readonly Work[], items: number): void {
  const steep = works.map((work) => measure(work, items)).filter(({ growth }) => growth > MAX_GROWTH)
  expect(steep.map(describeGrowth)).toEqual([])
}

function describeGrowth({ name, smallMs, largeMs, growth }: Measured): string {
  return `${name}: ${smallMs.toFixed(1)} ms for a quarter of the items, ${largeMs.toFixed(1)} ms for all: ${growth.toFixed(1)} times`
}
