import type { RefusalTotal, UsageRow } from '../../api/wire.ts'
import { sumAmounts } from '../text/decimal.ts'
import type { ChartPoint, ChartSeries } from './usage-chart.tsx'

export type Metric = 'spend' | 'requests' | 'tokens' | 'errors' | 'latency'

const HOUR_MS = 60 * 60 * 1_000
const STEP_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const

export interface Spell {
  readonly from: string
  readonly to: string
  readonly granularity: keyof typeof STEP_MS
}

export interface ChartData {
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
}

export interface ChartQuestion {
  readonly rows: readonly UsageRow[]
  readonly spell: Spell
  readonly metric: Metric
  readonly nameOf: (group: string | null) => string
  /** Requests that were refused before they were admitted: errors that no usage counts. */
  readonly refusals?: readonly RefusalTotal[] | undefined
}

// More lines are hard to distinguish, so the smallest groups are combined.
const MAX_SERIES = 7
export const REST = 'Others'
const REFUSED = { name: 'refused', label: 'Refused on arrival', colour: 'red.7' }

/**
 * Usage as chart data: a point for every hour or day, including empty ones, and a series for each of the largest groups.
 * Series are named by number, because the chart reads a dot in a model's name as a path.
 */
export function chartUsage({ rows, spell, metric, nameOf, refusals = [] }: ChartQuestion): ChartData {
  const ranked = totalsByGroup(rows)
  const told = ranked.filter(({ isRest }) => !isRest)
  // A rest of a single group can as well be told.
  const isShort = ranked.length === MAX_SERIES + 1 && told.length === ranked.length
  const named = isShort ? told : told.slice(0, MAX_SERIES)
  const seriesOf = new Map(named.map(({ group }, index) => [group, `s${index}`]))
  const hasRest = ranked.length > named.length
  const cells = Map.groupBy(rows, ({ at, group, rest }) => {
    const series = rest ? undefined : seriesOf.get(group)
    return `${new Date(at).getTime()} ${series ?? 'rest'}`
  })
  const series = [
    ...named.map(({ group }, index) => ({ name: `s${index}`, label: nameOf(group) })),
    ...(hasRest ? [{ name: 'rest', label: REST, colour: 'gray.5' }] : []),
  ]
  const valuesAt = (startMs: number) => {
    const values: Record<string, number> = {}
    for (const { name } of series) {
      const value = figureOf(cells.get(`${startMs} ${name}`) ?? [], metric)
      // Without requests there is no latency: the line continues at the next point that has one.
      if (value !== null) values[name] = value
    }
    return values
  }
  const refused = metric === 'errors' ? countRefused(refusals) : new Map<number, number>()
  const points = stepsOf(spell).map((startMs) => ({
    at: new Date(startMs).toISOString(),
    ...valuesAt(startMs),
    ...(refused.size > 0 && { [REFUSED.name]: refused.get(startMs) ?? 0 }),
  }))
  return { points, series: refused.size > 0 ? [...series, REFUSED] : series }
}

function countRefused(refusals: readonly RefusalTotal[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { starts_at, count } of refusals) {
    const startMs = new Date(starts_at).getTime()
    counts.set(startMs, (counts.get(startMs) ?? 0) + count)
  }
  return counts
}

function stepsOf({ from, to, granularity }: Spell): number[] {
  const stepMs = STEP_MS[granularity]
  const firstMs = Math.floor(new Date(from).getTime() / stepMs) * stepMs
  const count = Math.ceil((new Date(to).getTime() - firstMs) / stepMs)
  return Array.from({ length: Math.max(count, 0) }, (_, index) => firstMs + index * stepMs)
}

function figureOf(rows: readonly UsageRow[], metric: Metric): number | null {
  const total = sumUsage(rows)
  switch (metric) {
    case 'spend':
      return Number(total.amount)
    case 'requests':
      return total.requests
    case 'tokens':
      return total.tokens
    case 'errors':
      return total.failed
    case 'latency':
      return total.first_byte_ms_avg
  }
}

export interface UsageSum {
  readonly requests: number
  readonly failed: number
  readonly tokens: number
  readonly images: number
  readonly amount: string
  readonly first_byte_ms_avg: number | null
}

export interface GroupUsage extends UsageSum {
  readonly group: string | null
  /** All groups that were not told apart. */
  readonly isRest: boolean
}

/** Totals of each group by cost, then by number of requests; the rest comes last. */
export function totalsByGroup(rows: readonly UsageRow[]): GroupUsage[] {
  const others = rows.filter(({ rest }) => rest)
  const byGroup = Map.groupBy(
    rows.filter(({ rest }) => !rest),
    ({ group }) => group,
  )
  const groups = [...byGroup]
    .map(([group, own]) => ({ group, isRest: false, ...sumUsage(own) }))
    .sort((one, other) => Number(other.amount) - Number(one.amount) || other.requests - one.requests)
  return others.length === 0 ? groups : [...groups, { group: null, isRest: true, ...sumUsage(others) }]
}

export function sumUsage(rows: readonly UsageRow[]): UsageSum {
  const add = (pick: (row: UsageRow) => number) => rows.reduce((sum, row) => sum + pick(row), 0)
  const timed = rows.filter(({ first_byte_ms_avg }) => first_byte_ms_avg !== null)
  const timedRequests = timed.reduce((sum, { requests }) => sum + requests, 0)
  const timedMs = timed.reduce((sum, row) => sum + (row.first_byte_ms_avg ?? 0) * row.requests, 0)
  return {
    requests: add(({ requests }) => requests),
    failed: add(({ failed }) => failed),
    tokens: add((row) => row.input + row.cache_read + row.cache_write + row.output),
    images: add(({ images }) => images),
    amount: sumAmounts(rows.map(({ amount }) => amount)),
    first_byte_ms_avg: timedRequests === 0 ? null : timedMs / timedRequests,
  }
}
