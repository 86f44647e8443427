import type { Settlement } from '../../vocabulary/settlement.ts'
import { type CountedRequest, endedAtMs, UsageSums, type UsageTotal } from './aggregate.ts'
import { dayOf } from './period.ts'

/** What is counted of one day, by hour. */
export interface RecountedDay {
  /** Days since 1970-01-01 UTC. */
  readonly day: number
  readonly hours: readonly UsageTotal[]
}

/**
 * Counts requests that come in the order they started in. No request ends before it starts, so a day is complete as
 * soon as one comes that started after it; only the days that are not need memory.
 */
export class Recount {
  readonly #open = new Map<number, UsageSums>()
  #completeBefore = Number.NEGATIVE_INFINITY

  /** False when the request belongs to a day that was given already, which means that it ended before it started. */
  add(request: CountedRequest & Pick<Settlement, 'startedAtMs'>): boolean {
    const day = dayOf(endedAtMs(request))
    if (day < this.#completeBefore) return false
    let sums = this.#open.get(day)
    if (sums === undefined) {
      sums = new UsageSums('hour')
      this.#open.set(day, sums)
    }
    sums.add(request)
    return true
  }

  /** Gives the days that requests starting at this time or later cannot add to, oldest first. */
  takeComplete(startedAtMs: number): RecountedDay[] {
    return this.#takeBefore(dayOf(startedAtMs))
  }

  takeRest(): RecountedDay[] {
    return this.#takeBefore(Number.POSITIVE_INFINITY)
  }

  #takeBefore(end: number): RecountedDay[] {
    this.#completeBefore = Math.max(this.#completeBefore, end)
    const days = [...this.#open].filter(([day]) => day < end).sort(([left], [right]) => left - right)
    for (const [day] of days) this.#open.delete(day)
    return days.map(([day, sums]) => ({ day, hours: sums.totals() }))
  }
}
