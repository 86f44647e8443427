import { expect } from 'bun:test'

/** A step that is to stay linear, for lists of any length. */
export interface Work {
  readonly name: string
  /** Makes the input of this length; what it costs is not measured. */
  prepare(items: number): () => unknown
}

export interface Measured {
  readonly name: string
  readonly smallMs: number
  readonly largeMs: number
  readonly growth: number
}

/** Two doublings, so that what grows with the square of the list takes 16 times as long. */
const DOUBLINGS = 2
/** Per doubling. Linear work doubles; the rest is for caches, garbage and a busy machine. */
const MAX_GROWTH_PER_DOUBLING = 2.5
const MAX_GROWTH = MAX_GROWTH_PER_DOUBLING ** DOUBLINGS

/**
 * What takes less for the large list is not compared: comparing every item of 8,000 with every other takes longer than
 * this on any machine, and below it a clock measures the machine more than the work.
 */
const TOO_QUICK_MS = 8

const RUNS = 3
const ROUNDS = 4

function timeOf(run: () => unknown): number {
  const began = performance.now()
  run()
  return performance.now() - began
}

function bestOf(run: () => unknown, runs: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let left = runs; left > 0 && best > 0; left -= 1) best = Math.min(best, timeOf(run))
  return best
}

/**
 * How the time of a step grows from `items` to four times as many. The best of several runs counts, since a busy machine
 * only ever makes a run slower. A growth beyond the bound is measured again, up to four times in all, and each time adds to
 * what is known of both: only what stays beyond it is reported.
 */
export function measure(work: Work, items: number): Measured {
  const large = work.prepare(items * 2 ** DOUBLINGS)
  let largeMs = bestOf(large, 1)
  if (largeMs > TOO_QUICK_MS) largeMs = Math.min(largeMs, bestOf(large, 1))
  const known = (smallMs: number) => ({ name: work.name, smallMs, largeMs, growth: largeMs / smallMs })
  if (largeMs <= TOO_QUICK_MS) return { ...known(Number.NaN), growth: 0 }
  const small = work.prepare(items)
  let smallMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    smallMs = Math.min(smallMs, bestOf(small, RUNS))
    if (largeMs / smallMs <= MAX_GROWTH) break
    largeMs = Math.min(largeMs, bestOf(large, 1))
  }
  return known(smallMs)
}

/** Fails with the steps that grow faster than their list. */
export function expectLinear(works: readonly Work[], items: number): void {
  const measured = works.map((work) => measure(work, items))
  const steep = measured.filter(({ growth }) => growth > MAX_GROWTH).map(describe)
  expect(steep).toEqual([])
}

export function describe({ name, smallMs, largeMs, growth }: Measured): string {
  return `${name}: ${smallMs.toFixed(1)} ms for a quarter, ${largeMs.toFixed(1)} ms for all, ${growth.toFixed(1)} times`
}
