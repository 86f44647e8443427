import { GatewayError } from '../../../errors/gateway-error.ts'
import { SPAN_MS } from '../../../rules/ledger/aggregate.ts'
import { forecastFromMs, forecastMonth } from '../../../rules/ledger/explore/forecast.ts'
import { METRIC_RULES } from '../../../rules/ledger/explore/metrics.ts'
import { periodStartMs, periodsBefore, periodsIn } from '../../../rules/ledger/explore/periods.ts'
import { dayOf } from '../../../rules/ledger/period.ts'
import { formatTime } from '../../../vocabulary/clock.ts'
import type {
  ExploreAnswer,
  ExploreForecast,
  ExploreQuery,
  ExploreSpan,
} from '../../../vocabulary/observability/explore.ts'
import { USUAL_SERIES } from '../../../vocabulary/observability/explore.ts'
import type { LocalOperations, OperationParts } from '../parts.ts'
import { requireFound } from '../refuse.ts'
import { type Exploration, ExploreReader } from './explore-reader.ts'

const MOST_VIEWS = 50
const USUAL_DAYS = 30
const LONGEST_DAYS: Readonly<Record<ExploreSpan, number>> = { hour: 32, day: 400, week: 800, month: 800 }

/** Flushes the journal first, so that every answered request is included. */
export function exploreOperations(parts: OperationParts) {
  const { storage, catchUp, flushRefusals, clock, random } = parts
  return {
    explore: async (query) => {
      const nowMs = clock.nowMs()
      const exploration = readExploration(query, nowMs)
      await catchUp()
      if (exploration.groupBy === 'code') await flushRefusals?.()
      return explore(parts, exploration, nowMs)
    },
    listViews: (accountId) => storage.listViews(accountId),
    saveView: async (view, actor) => {
      const own = { id: random.id('view'), createdBy: actor, createdAtMs: Math.floor(clock.nowMs()) }
      const saved = await storage.saveView({ ...view, ...own }, MOST_VIEWS)
      if (saved !== null) return saved
      throw new GatewayError(
        'invalid_request',
        `There are ${MOST_VIEWS} saved views already. Delete one first.`,
        {
          param: 'name',
        },
      )
    },
    deleteView: async (accountId, id) => {
      requireFound((await storage.deleteView(accountId, id)) || null, 'saved view', id)
    },
  } satisfies Partial<LocalOperations>
}

async function explore(
  { storage }: OperationParts,
  exploration: Exploration,
  nowMs: number,
): Promise<ExploreAnswer> {
  const { metric, groupBy, granularity, periods, before } = exploration
  const reader = new ExploreReader(storage, exploration)
  const { all, series } = await reader.read()
  return {
    metric,
    unit: reader.rule.unit,
    groupBy,
    granularity,
    periods: periods.map(formatTime),
    periodsBefore: before.map(formatTime),
    all,
    series,
    forecast: await forecast(reader, nowMs),
    countedFromMs: await countedFrom(storage, exploration),
  }
}

function readExploration(query: ExploreQuery, nowMs: number): Exploration {
  const {
    metric = 'spend',
    groupBy = 'none',
    granularity = 'day',
    isCompared = false,
    top = USUAL_SERIES,
  } = query
  const {
    fromMs: givenFrom,
    toMs: givenTo,
    metric: _,
    groupBy: _g,
    granularity: _s,
    top: _t,
    ...rest
  } = query
  const { isCompared: _c, ...filter } = rest
  // The end is exclusive, but the current moment belongs to the range.
  const toMs = givenTo ?? nowMs + 1
  const fromMs = givenFrom ?? toMs - USUAL_DAYS * SPAN_MS.day
  if (fromMs >= toMs) refuse('from', 'from must be before to.')
  // A day more, so that a range of whole days is not refused because of where it begins.
  if (toMs - fromMs > (LONGEST_DAYS[granularity] + 1) * SPAN_MS.day) {
    refuse('from', `Periods of a ${granularity} can be shown for at most ${LONGEST_DAYS[granularity]} days.`)
  }
  const periods = periodsIn(granularity, fromMs, toMs)
  const before = isCompared ? periodsBefore(granularity, periods) : []
  const exploration = { metric, groupBy, granularity, filter, periods, before, top, toMs }
  requireKnown(exploration)
  return exploration
}

/** Refuses what is not counted. */
function requireKnown({ metric, groupBy, filter }: Exploration): void {
  const isOf = (name: 'keyId' | 'session' | 'agent') => filter[name] !== undefined
  if (groupBy === 'code') {
    if (metric !== 'errors' && metric !== 'error_rate') {
      refuse('group_by', 'Only errors and error_rate can be grouped by code.')
    }
    if (isOf('session') || isOf('agent')) refuse('session', 'Codes are not counted by session or agent.')
  }
  if (METRIC_RULES[metric].source !== 'measures') return
  const reason = `${metric} is counted by account, model and supplier only.`
  if (groupBy === 'key' || groupBy === 'session' || groupBy === 'agent') refuse('group_by', reason)
  if (isOf('keyId')) refuse('key_id', reason)
  if (isOf('session')) refuse('session', reason)
  if (isOf('agent')) refuse('agent', reason)
}

function refuse(param: string, message: string): never {
  throw new GatewayError('invalid_request', message, { param })
}

/** Of the whole month, whatever the range is. */
async function forecast(reader: ExploreReader, nowMs: number): Promise<ExploreForecast | null> {
  const { rule } = reader
  if (!rule.isSum) return null
  const points = await reader.readAll('day', forecastFromMs(nowMs), nowMs + 1)
  // In whole units of the metric: nano-USDT, requests or tokens.
  const byDay = new Map(points.map(({ startMs, sums }) => [dayOf(startMs), sums]))
  const names = [...new Set(points.flatMap(({ sums }) => Object.keys(sums)))]
  const ofFigures = names.map((name) => {
    const days = new Map([...byDay].map(([day, sums]) => [day, sums[name] ?? 0n]))
    return [name, forecastMonth(days, nowMs)] as const
  })
  const [, first] = ofFigures[0] ?? []
  if (first === undefined || first === null) return null
  const part = (pick: 'soFar' | 'expected') =>
    rule.decimalOf(Object.fromEntries(ofFigures.map(([name, month]) => [name, month?.[pick] ?? 0n]))) ?? '0'
  return { monthMs: first.monthMs, soFar: part('soFar'), expected: part('expected'), days: first.days }
}

/** Older versions did not measure requests, so that a range may begin before that. */
async function countedFrom(
  storage: OperationParts['storage'],
  { metric, filter, periods, groupBy }: Exploration,
): Promise<number | null> {
  if (METRIC_RULES[metric].source !== 'measures' && groupBy !== 'code') return null
  const firstMs = await storage.findFirstMeasured(filter.accountId)
  const isWithin = firstMs !== null && firstMs >= (periods[1] ?? Number.POSITIVE_INFINITY)
  return isWithin ? periodStartMs('hour', firstMs) : null
}
