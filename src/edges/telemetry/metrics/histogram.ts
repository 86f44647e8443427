import { definitionOf, type HistogramName } from './metric-table.ts'

/** Counts by upper bound. Each observation raises one count; the sums that Prometheus wants are made when it asks. */
export class Histogram {
  readonly #bounds: readonly number[]
  /** One more than there are bounds: the last is for values above all of them. */
  readonly counts: number[]
  sum = 0

  constructor(name: HistogramName) {
    this.#bounds = definitionOf(name).buckets ?? []
    this.counts = Array.from({ length: this.#bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let place = 0
    while (place < this.#bounds.length && value > (this.#bounds[place] ?? 0)) place += 1
    this.counts[place] = (this.counts[place] ?? 0) + 1
    this.sum += value
  }

  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0)
  }
}
