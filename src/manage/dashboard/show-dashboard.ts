import { SPAN_MS, spanStartMs } from '../../rules/ledger/aggregate.ts'
import type { AccountShare, Dashboard, DashboardRange } from '../../vocabulary/observability/dashboard.ts'
import type { OperationParts } from '../operations/parts.ts'
import type { DescribeSystem, ShowDashboard } from '../ports/console.ts'
import type { Diagnostics } from '../ports/diagnostics.ts'
import type { UsagePoint } from '../ports/ledger.ts'
import type { Operations } from '../ports/operations.ts'
import { SpanReader, type SpanSumParts, type SpanSums } from './span-sums.ts'
import { busiestCredentials, type SupplyParts, supplierHealth } from './supplier-health.ts'
import { averageOf, sumUsage } from './usage-sum.ts'

export interface DashboardParts
  extends SupplyParts,
    SpanSumParts,
    Pick<OperationParts, 'configuration' | 'money'> {
  /** Resolves when everything that this node has counted can be read from the storage, or cannot be for now. */
  readonly catchUp: () => Promise<void>
  readonly operations: Pick<Operations, 'listOperatorAlerts'>
  readonly describeSystem: DescribeSystem
  readonly diagnostics: Pick<Diagnostics, 'examinePlatform'>
}

const SPANS = { day: { span: 'hour', count: 24 }, week: { span: 'day', count: 7 } } as const
const TOP_ACCOUNTS = 5
const MOST_ALERTS = 10
const MOST_CODES = 5

/** What an operator looks at first. Reads totals only, so that it takes as long for any number of requests. */
export function createDashboard(parts: DashboardParts): ShowDashboard {
  const reader = new SpanReader(parts)
  return async (range) => {
    await parts.catchUp()
    const { span, startsMs } = spansOf(range, parts.clock.nowMs())
    const [sums, system, alerts, findings] = await Promise.all([
      reader.read(span, startsMs),
      parts.describeSystem(),
      parts.operations.listOperatorAlerts({ isOpen: true }, { limit: MOST_ALERTS, cursor: null }),
      parts.diagnostics.examinePlatform(),
    ])
    const usage = sums.flatMap((each) => each.usage)
    const snapshot = parts.configuration.current()
    return {
      startsAtMs: startsMs[0] ?? 0,
      endsAtMs: parts.clock.nowMs(),
      granularity: span,
      totals: totalsOf(sums),
      points: sums.map((each) => ({ startMs: each.startMs, ...figuresOf([each]) })),
      refusals: refusalsOf(sums),
      accounts: await topAccounts(parts, usage),
      suppliers: supplierHealth(parts, snapshot, sumsBy(usage, 'supplier')),
      capacity: { ...system, limits: busiestCredentials(parts, snapshot) },
      alerts: alerts.data,
      findings,
    }
  }
}

/** The present hour or day is the last one. */
function spansOf(range: DashboardRange, nowMs: number) {
  const { span, count } = SPANS[range]
  const lastMs = spanStartMs(span, nowMs)
  return { span, startsMs: Array.from({ length: count }, (_, n) => lastMs - (count - 1 - n) * SPAN_MS[span]) }
}

/** Refused requests never became settlements, so they are counted apart and added. */
function figuresOf(sums: readonly SpanSums[]) {
  const { requests, failed, amountNano, costNano, marginNano } = sumUsage(sums.flatMap(({ usage }) => usage))
  const refused = countRefused(sums)
  return { requests: requests + refused, errors: failed + refused, amountNano, costNano, marginNano }
}

function totalsOf(sums: readonly SpanSums[]): Dashboard['totals'] {
  const firstByteMsAvg = averageOf(sumUsage(sums.flatMap(({ usage }) => usage)))
  return { ...figuresOf(sums), refused: countRefused(sums), firstByteMsAvg }
}

function countRefused(sums: readonly SpanSums[]): number {
  return sums.flatMap(({ refusals }) => refusals).reduce((total, { count }) => total + count, 0)
}

function refusalsOf(sums: readonly SpanSums[]): Dashboard['refusals'] {
  const counts = new Map<string, number>()
  for (const { code, count } of sums.flatMap(({ refusals }) => refusals)) {
    counts.set(code, (counts.get(code) ?? 0) + count)
  }
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((one, other) => other.count - one.count)
    .slice(0, MOST_CODES)
}

function sumsBy(usage: readonly UsagePoint[], name: 'accountId' | 'supplier') {
  const groups = Map.groupBy(usage, ({ group }) => group[name] ?? '')
  return new Map([...groups].map(([name, views]) => [name, sumUsage(views)]))
}

async function topAccounts(
  { configuration, money }: DashboardParts,
  usage: readonly UsagePoint[],
): Promise<readonly AccountShare[]> {
  const top = [...sumsBy(usage, 'accountId')]
    .sort(([, one], [, other]) => Number(other.amountNano - one.amountNano) || other.requests - one.requests)
    .slice(0, TOP_ACCOUNTS)
  await money.refresh({ accountIds: top.map(([id]) => id) })
  const { accounts } = configuration.current()
  return top.map(([accountId, { requests, failed, amountNano, costNano, marginNano }]) => ({
    accountId,
    name: accounts.get(accountId)?.name ?? accountId,
    balanceNano: money.balanceNano(accountId),
    requests,
    errors: failed,
    amountNano,
    costNano,
    marginNano,
  }))
}
