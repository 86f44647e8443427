import type { Settlement, UsageGroup, UsageSpan } from '../../../vocabulary/settlement.ts'
import { spanStartMs } from '../aggregate.ts'
import { endedAtMs } from '../period.ts'
import { savedNano } from './cache-saving.ts'
import { BUCKETS, bucketOf } from './histogram.ts'

/** What is measured by account, model and supplier. There may be too many keys to measure each. */
export type MeasureGroup = Pick<UsageGroup, 'accountId' | 'model' | 'supplier'>

export interface Measures {
  /** What the account would have paid more without cached tokens. */
  savedNano: number
  /** Output tokens of completed streams, and how long they took after their first byte. */
  streamedTokens: number
  streamedMs: number
  /** How many requests had their first byte within the time of each bucket. */
  readonly firstByte: number[]
  /** How many completed requests ended within the time of each bucket. */
  readonly duration: number[]
}

export interface MeasureTotal {
  readonly startMs: number
  readonly group: MeasureGroup
  readonly measures: Measures
}

/** Adds up what is measured by span and group. */
export class MeasureSums {
  readonly #span: UsageSpan
  readonly #totals = new Map<string, MeasureTotal>()
  #last: MeasureTotal | null = null

  constructor(span: UsageSpan) {
    this.#span = span
  }

  add(settlement: Settlement): void {
    const { firstByteMs, durationMs, outcome, usage } = settlement
    const isCompleted = outcome === 'completed'
    const hasCached = usage.cacheRead > 0 || usage.cacheWrite > 0
    if (firstByteMs === null && !isCompleted && !hasCached) return
    const { measures } = this.#totalOf(endedAtMs(settlement), settlement)
    if (hasCached) measures.savedNano += savedNano(settlement)
    if (firstByteMs !== null) increase(measures.firstByte, Math.round(firstByteMs))
    if (!isCompleted) return
    increase(measures.duration, Math.round(durationMs))
    const streamedMs = firstByteMs === null ? 0 : Math.round(durationMs) - Math.round(firstByteMs)
    if (!settlement.stream || usage.output === 0 || streamedMs <= 0) return
    measures.streamedTokens += usage.output
    measures.streamedMs += streamedMs
  }

  /** Adds totals of a shorter span. */
  addTotal({ startMs, group, measures: more }: MeasureTotal): void {
    const { measures } = this.#totalOf(startMs, group)
    measures.savedNano += more.savedNano
    measures.streamedTokens += more.streamedTokens
    measures.streamedMs += more.streamedMs
    addCounts(measures.firstByte, more.firstByte)
    addCounts(measures.duration, more.duration)
  }

  /** In a deterministic order. */
  totals(): MeasureTotal[] {
    const inOrder = [...this.#totals].sort(([left], [right]) => (left < right ? -1 : 1))
    return inOrder.map(([, total]) => total)
  }

  #totalOf(atMs: number, group: MeasureGroup): MeasureTotal {
    const startMs = spanStartMs(this.#span, atMs)
    // Requests of one group often come in a row, and comparing is cheaper than building a key.
    if (this.#last?.startMs !== startMs || !isSameGroup(this.#last.group, group)) {
      this.#last = this.#findTotal(startMs, group)
    }
    return this.#last
  }

  #findTotal(startMs: number, { accountId, model, supplier }: MeasureGroup): MeasureTotal {
    const place = `${startMs}\0${accountId}\0${model}\0${supplier ?? ''}`
    const known = this.#totals.get(place)
    if (known !== undefined) return known
    const total = { startMs, group: { accountId, model, supplier }, measures: noMeasures() }
    this.#totals.set(place, total)
    return total
  }
}

function isSameGroup(one: MeasureGroup, other: MeasureGroup): boolean {
  return one.accountId === other.accountId && one.model === other.model && one.supplier === other.supplier
}

function noMeasures(): Measures {
  const none = () => Array.from({ length: BUCKETS }, () => 0)
  return { savedNano: 0, streamedTokens: 0, streamedMs: 0, firstByte: none(), duration: none() }
}

function increase(counts: number[], ms: number): void {
  const bucket = bucketOf(ms)
  counts[bucket] = (counts[bucket] ?? 0) + 1
}

function addCounts(counts: number[], more: readonly number[]): void {
  for (const [bucket, count] of more.entries()) {
    if (count > 0) counts[bucket] = (counts[bucket] ?? 0) + count
  }
}
