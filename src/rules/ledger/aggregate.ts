import type {
  Outcome,
  Settlement,
  UsageFigures,
  UsageGroup,
  UsageSpan,
  UsageView,
} from '../../vocabulary/settlement.ts'
import { dayOf, endedAtMs } from './period.ts'

export const SPAN_MS: Readonly<Record<UsageSpan, number>> = { hour: 3_600_000, day: 86_400_000 }

export interface UsageTotal {
  readonly startMs: number
  readonly group: UsageGroup
  readonly figures: UsageFigures
}

export const FIGURE_NAMES = [
  'completed',
  'clientLeft',
  'supplierFailed',
  'refused',
  'interrupted',
  'input',
  'cacheRead',
  'cacheWrite',
  'output',
  'reasoning',
  'images',
  'amountNano',
  'marginNano',
  'firstBytes',
  'firstByteMs',
  'durationMs',
] as const satisfies readonly (keyof UsageFigures)[]

/** What usage is counted from, such as a settlement. */
export type CountedRequest = UsageGroup &
  Pick<
    Settlement,
    'usage' | 'amountNano' | 'costNano' | 'outcome' | 'startedAtMs' | 'firstByteMs' | 'durationMs'
  >

export function spanStartMs(span: UsageSpan, atMs: number): number {
  return Math.floor(atMs / SPAN_MS[span]) * SPAN_MS[span]
}

/** Adds up usage by span and group. */
export class UsageSums {
  readonly #span: UsageSpan
  readonly #totals = new Map<string, UsageTotal>()
  #last: UsageTotal | null = null

  constructor(span: UsageSpan) {
    this.#span = span
  }

  add(request: CountedRequest): void {
    const { figures } = this.#totalOf(endedAtMs(request), request)
    const { usage } = request
    figures[COUNTER_OF[request.outcome]] += 1
    figures.input += usage.input
    figures.cacheRead += usage.cacheRead
    figures.cacheWrite += usage.cacheWrite
    figures.output += usage.output
    figures.reasoning += usage.reasoning
    figures.images += usage.images
    figures.amountNano += request.amountNano
    if (request.costNano !== request.amountNano) figures.marginNano += request.amountNano - request.costNano
    figures.durationMs += Math.round(request.durationMs)
    if (request.firstByteMs === null) return
    figures.firstBytes += 1
    figures.firstByteMs += Math.round(request.firstByteMs)
  }

  /** Adds totals of a shorter span. */
  addTotal(total: UsageTotal): void {
    addFigures(this.#totalOf(total.startMs, total.group).figures, total.figures)
  }

  /** In a deterministic order. */
  totals(): UsageTotal[] {
    const inOrder = [...this.#totals].sort(([left], [right]) => (left < right ? -1 : 1))
    return inOrder.map(([, total]) => total)
  }

  #totalOf(atMs: number, group: UsageGroup): UsageTotal {
    const startMs = spanStartMs(this.#span, atMs)
    // Requests of one group often come in a row, and comparing is cheaper than building a key.
    if (this.#last?.startMs !== startMs || !isSameGroup(this.#last.group, group)) {
      this.#last = this.#findTotal(startMs, group)
    }
    return this.#last
  }

  #findTotal(startMs: number, { accountId, keyId, model, supplier }: UsageGroup): UsageTotal {
    const place = `${startMs}\0${accountId}\0${keyId}\0${model}\0${supplier ?? ''}`
    const known = this.#totals.get(place)
    if (known !== undefined) return known
    const total = { startMs, group: { accountId, keyId, model, supplier }, figures: noFigures() }
    this.#totals.set(place, total)
    return total
  }
}

/** The account of totals of all accounts. */
export const ALL_ACCOUNTS = ''

/** The same totals without keys: those of all accounts together, then those of each. */
export function sumWithoutKeys(span: UsageSpan, totals: readonly UsageTotal[]): UsageTotal[] {
  const [ofAll, ofAccounts] = [new UsageSums(span), new UsageSums(span)]
  for (const { startMs, group, figures } of totals) {
    if (group.accountId === ALL_ACCOUNTS) continue
    ofAccounts.addTotal({ startMs, group: { ...group, keyId: '' }, figures })
  }
  const accounts = ofAccounts.totals()
  for (const { startMs, group, figures } of accounts) {
    ofAll.addTotal({ startMs, group: { ...group, accountId: ALL_ACCOUNTS }, figures })
  }
  return [...ofAll.totals(), ...accounts]
}

function isSameGroup(one: UsageGroup, other: UsageGroup): boolean {
  return (
    one.accountId === other.accountId &&
    one.keyId === other.keyId &&
    one.model === other.model &&
    one.supplier === other.supplier
  )
}

const COUNTER_OF = {
  completed: 'completed',
  client_left: 'clientLeft',
  supplier_failed: 'supplierFailed',
  refused: 'refused',
  interrupted: 'interrupted',
} as const satisfies Record<Outcome, keyof UsageFigures>

function addFigures(sum: UsageFigures, more: UsageFigures): void {
  for (const name of FIGURE_NAMES) {
    if (name === 'amountNano' || name === 'marginNano') sum[name] += more[name]
    else sum[name] += more[name]
  }
}

/** The totals, as far as they are shown. */
export function figuresOf(view: UsageView): UsageFigures {
  const { outcomes, usage, amountNano, marginNano, firstBytes, firstByteMs, durationMs } = view
  return { ...outcomes, ...usage, amountNano, marginNano, firstBytes, firstByteMs, durationMs }
}

/** The sum of several totals. */
export function sumFigures(parts: readonly UsageFigures[]): UsageFigures {
  const sum = noFigures()
  for (const figures of parts) addFigures(sum, figures)
  return sum
}

function noFigures(): UsageFigures {
  return {
    completed: 0,
    clientLeft: 0,
    supplierFailed: 0,
    refused: 0,
    interrupted: 0,
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    reasoning: 0,
    images: 0,
    amountNano: 0n,
    marginNano: 0n,
    firstBytes: 0,
    firstByteMs: 0,
    durationMs: 0,
  }
}

/** The usage of one day, by hour. */
export interface RecountedDay {
  /** Days since 1970-01-01 UTC. */
  readonly day: number
  readonly hours: readonly UsageTotal[]
}

/**
 * Counts requests in the order of their start. No request ends before it starts, so a day is complete once a request
 * started after it; only incomplete days are in memory.
 */
export class Recount {
  readonly #open = new Map<number, UsageSums>()
  #completeBefore = Number.NEGATIVE_INFINITY

  /** Returns false when the request belongs to a day that was already returned: it ended before it started. */
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

  /** Returns the days that requests starting at this time or later cannot change, oldest first. */
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
