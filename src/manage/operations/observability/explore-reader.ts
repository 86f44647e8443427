import {
  addSums,
  CODE_RULES,
  METRIC_RULES,
  REQUEST_FIGURES,
  type Sums,
} from '../../../rules/ledger/explore/metrics.ts'
import { countedSpan, nextPeriodStartMs, periodStartMs } from '../../../rules/ledger/explore/periods.ts'
import type {
  ExploreGroup,
  ExploreMetric,
  ExploreSeries,
  ExploreSpan,
} from '../../../vocabulary/observability/explore.ts'
import type { UsageFilter, UsageSpan } from '../../../vocabulary/settlement.ts'
import type {
  ExploreStore,
  FigurePoint,
  FigureQuestion,
  FigureSource,
  GroupChoice,
} from '../../ports/explore/explore.ts'

/** A question that was checked. */
export interface Exploration {
  readonly metric: ExploreMetric
  readonly groupBy: ExploreGroup
  readonly granularity: ExploreSpan
  readonly filter: UsageFilter
  /** When the periods start. */
  readonly periods: readonly number[]
  /** When those start that they are compared with; empty when they are not. */
  readonly before: readonly number[]
  readonly top: number
}

/** The sums of each period, by group. */
type PeriodSums = ReadonlyMap<string, ReadonlyMap<number, Sums>>

interface Window {
  readonly all: ReadonlyMap<number, Sums>
  readonly groups: PeriodSums
}

const NO_SUMS: Sums = {}

/** Reads the figures of a metric, and makes series of them. */
export class ExploreReader {
  readonly #store: ExploreStore
  readonly #asked: Exploration
  readonly #source: FigureSource
  readonly #figures: readonly string[]
  readonly rule: Pick<(typeof METRIC_RULES)[ExploreMetric], 'unit' | 'isSum' | 'decimalOf'>

  constructor(store: ExploreStore, asked: Exploration) {
    this.#store = store
    this.#asked = asked
    const { metric, groupBy } = asked
    const isByCode = groupBy === 'code' && (metric === 'errors' || metric === 'error_rate')
    this.rule = isByCode ? CODE_RULES[metric] : METRIC_RULES[metric]
    this.#source = isByCode ? 'errors' : METRIC_RULES[metric].source
    this.#figures = isByCode ? ['count', 'refusals'] : METRIC_RULES[metric].figures
  }

  async read(): Promise<{ readonly all: ExploreSeries; readonly series: readonly ExploreSeries[] }> {
    const { periods, before, groupBy, top } = this.#asked
    const ranked = groupBy === 'none' ? [] : await this.#rank(groupBy, top + 1)
    // A rest of a single group can as well be told.
    const names = ranked.slice(0, top)
    const now = await this.#readWindow(periods, names)
    const then = before.length === 0 ? null : await this.#readWindow(before, names)
    const seriesOf = (sumsOf: (window: Window) => ReadonlyMap<number, Sums>) => ({
      ...this.#valuesOf(sumsOf(now), periods),
      ...(then === null ? NOTHING_BEFORE : beforeOf(this.#valuesOf(sumsOf(then), before))),
    })
    const series = names.map((name) => ({
      group: name === '' ? null : name,
      isRest: false,
      ...seriesOf(({ groups }) => groups.get(name) ?? new Map()),
    }))
    const hasRest = ranked.length > names.length
    const rest = hasRest ? [{ group: null, isRest: true, ...seriesOf(restOf) }] : []
    return {
      all: { group: null, isRest: false, ...seriesOf(({ all }) => all) },
      series: [...series, ...rest],
    }
  }

  /** The sums of all groups by hour or day. */
  async readAll(span: UsageSpan, fromMs: number, toMs: number): Promise<readonly FigurePoint[]> {
    const question = this.#question(span, periodStartMs(span, fromMs), toMs)
    const points = await this.#store.readFigures(question, null)
    if (this.#source !== 'errors') return points
    return this.#withRequests(points, question)
  }

  /** A share of failures by code is one of all requests, refused ones included. */
  async #withRequests(points: readonly FigurePoint[], question: FigureQuestion): Promise<FigurePoint[]> {
    if (this.#asked.metric !== 'error_rate') return [...points]
    const usage = await this.#store.readFigures(
      { ...question, source: 'usage', figures: REQUEST_FIGURES },
      null,
    )
    const refused = points.map(({ startMs, sums }) => {
      return { startMs, group: '', sums: { ...sums, requests: sums.refusals ?? 0n } }
    })
    const admitted = usage.map(({ startMs, sums }) => {
      const requests = Object.values(sums).reduce((sum, count) => sum + count, 0n)
      return { startMs, group: '', sums: { requests } }
    })
    return [...refused, ...admitted]
  }

  #question(span: UsageSpan, fromMs: number, toMs: number): FigureQuestion {
    const filter = { ...this.#asked.filter, fromMs, toMs }
    return { source: this.#source, figures: this.#figures, span, filter }
  }

  #questionOf(periods: readonly number[]): FigureQuestion {
    const { granularity } = this.#asked
    const toMs = nextPeriodStartMs(granularity, periods.at(-1) ?? 0)
    return this.#question(countedSpan(granularity), periods[0] ?? 0, toMs)
  }

  #rank(by: GroupChoice['by'], atMost: number): Promise<readonly string[]> {
    const question = this.#questionOf(this.#asked.periods)
    if (this.#source === 'errors')
      return this.#store.rankGroups({ ...question, figures: ['count'] }, by, atMost)
    const { weight: figures, weightSource: source = this.#source } = METRIC_RULES[this.#asked.metric]
    return this.#store.rankGroups({ ...question, source, figures }, by, atMost)
  }

  async #readWindow(periods: readonly number[], names: readonly string[]): Promise<Window> {
    const { groupBy } = this.#asked
    const question = this.#questionOf(periods)
    const all = await this.readAll(question.span, question.filter.fromMs, question.filter.toMs)
    const folded = this.#fold(all).get('') ?? new Map<number, Sums>()
    if (groupBy === 'none' || names.length === 0) return { all: folded, groups: new Map() }
    const groups = this.#fold(await this.#store.readFigures(question, { by: groupBy, names }))
    return { all: folded, groups: this.#source === 'errors' ? withRequestsOf(groups, folded) : groups }
  }

  /** Adds up hours or days to periods. */
  #fold(points: readonly FigurePoint[]): PeriodSums {
    const { granularity } = this.#asked
    const groups = new Map<string, Map<number, Record<string, bigint>>>()
    for (const { group, startMs, sums } of points) {
      const periodMs = periodStartMs(granularity, startMs)
      const periods = groups.get(group) ?? new Map<number, Record<string, bigint>>()
      groups.set(group, periods)
      const known = periods.get(periodMs) ?? {}
      periods.set(periodMs, known)
      addSums(known, sums)
    }
    return groups
  }

  #valuesOf(sums: ReadonlyMap<number, Sums>, periods: readonly number[]) {
    const whole: Record<string, bigint> = {}
    for (const period of sums.values()) addSums(whole, period)
    return {
      total: this.rule.decimalOf(whole),
      values: periods.map((startMs) => this.rule.decimalOf(sums.get(startMs) ?? NO_SUMS)),
    }
  }
}

const NOTHING_BEFORE = { totalBefore: null, valuesBefore: [] }

function beforeOf({ total, values }: Pick<ExploreSeries, 'total' | 'values'>) {
  return { totalBefore: total, valuesBefore: values }
}

/** What all groups have and those with a series of their own have not. All figures are sums, so this is exact. */
function restOf({ all, groups }: Window): ReadonlyMap<number, Sums> {
  const rest = new Map(
    [...all].map(([startMs, sums]): [number, Record<string, bigint>] => [startMs, { ...sums }]),
  )
  for (const periods of groups.values()) {
    for (const [startMs, sums] of periods) {
      const { requests: _, ...counted } = sums
      addSums(rest.get(startMs) ?? {}, counted, -1n)
    }
  }
  return rest
}

/** Every code is a share of the same requests. */
function withRequestsOf(groups: PeriodSums, all: ReadonlyMap<number, Sums>): PeriodSums {
  return new Map(
    [...groups].map(([name, periods]) => {
      const counted = [...all].map(([startMs, { requests = 0n }]): [number, Sums] => {
        return [startMs, { ...periods.get(startMs), requests }]
      })
      return [name, new Map(counted)]
    }),
  )
}
