import { SPAN_MS } from '../../rules/ledger/aggregate.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { RefusalTotal } from '../../vocabulary/observability/refusal.ts'
import type { UsageSpan } from '../../vocabulary/settlement.ts'
import type { LedgerStore, UsagePoint } from '../ports/ledger.ts'
import type { Listing, Page } from '../ports/page.ts'
import type { RefusalStore } from '../ports/refusals.ts'

/** What happened in one hour or day: usage by account and supplier, and refusals by code. */
export interface SpanSums {
  readonly startMs: number
  readonly usage: readonly UsagePoint[]
  readonly refusals: readonly RefusalTotal[]
}

export interface SpanSumParts {
  readonly storage: Pick<LedgerStore, 'listUsage'> & Pick<RefusalStore, 'totalRefusals'>
  readonly clock: Clock
}

// A node that could not reach the database adds to hours that are over.
const KEPT_MS = 5 * 60_000
// A moment after its end the last requests of a span may still be on their way to the database.
const LATE_MS = 60_000
const PAGE_SIZE = 5_000

interface Kept {
  readonly sums: Promise<SpanSums>
  readonly untilMs: number
}

/**
 * Reads totals span by span, and keeps those of spans that are over for some minutes: a page that is refreshed every few
 * seconds reads only the present hour.
 */
export class SpanReader {
  readonly #parts: SpanSumParts
  readonly #kept = new Map<string, Kept>()

  constructor(parts: SpanSumParts) {
    this.#parts = parts
  }

  /** Oldest first. */
  async read(span: UsageSpan, startsMs: readonly number[]): Promise<readonly SpanSums[]> {
    this.#forgetOld()
    const sums: SpanSums[] = []
    // One after the other, so that requests get their turn in between.
    for (const startMs of startsMs) sums.push(await this.#sumsOf(span, startMs))
    return sums
  }

  #sumsOf(span: UsageSpan, startMs: number): Promise<SpanSums> {
    const nowMs = this.#parts.clock.nowMs()
    const name = `${span} ${startMs}`
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept.sums
    const sums = readSpan(this.#parts.storage, span, startMs)
    if (startMs + SPAN_MS[span] + LATE_MS > nowMs) return sums
    this.#kept.set(name, { sums, untilMs: nowMs + KEPT_MS })
    // A read that failed is tried again.
    sums.catch(() => this.#kept.delete(name))
    return sums
  }

  #forgetOld(): void {
    const nowMs = this.#parts.clock.nowMs()
    for (const [name, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(name)
  }
}

async function readSpan(
  storage: SpanSumParts['storage'],
  span: UsageSpan,
  startMs: number,
): Promise<SpanSums> {
  const filter = { fromMs: startMs, toMs: startMs + SPAN_MS[span] }
  const question = { span, filter, groupBy: ['accountId', 'supplier'] } as const
  const usage = await readAll((page) => storage.listUsage(question, page))
  const refusals = await readAll((page) => storage.totalRefusals({ filter, span }, page))
  return { startMs, usage, refusals }
}

async function readAll<T>(read: (page: Page) => Promise<Listing<T>>): Promise<readonly T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const { data, nextCursor } = await read({ limit: PAGE_SIZE, cursor })
    all.push(...data)
    cursor = nextCursor
  } while (cursor !== null)
  return all
}
