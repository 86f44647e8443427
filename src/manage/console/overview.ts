import { markupFor } from '../../rules/accounts/mark-ups.ts'
import { accountLimits, effectiveTier, tierAbove, tierEarnedBy } from '../../rules/accounts/tiers.ts'
import { figuresOf, SPAN_MS, spanStartMs, sumFigures } from '../../rules/ledger/aggregate.ts'
import { markedUp } from '../../rules/ledger/charge.ts'
import { type EligibleRoute, eligibleRoutes } from '../../rules/routing/eligible-routes.ts'
import { availableModels, listedModel } from '../../serve/admission/find-model.ts'
import { limitOf, protocolsOf, sourceOf } from '../../serve/admission/model-facts.ts'
import type { Caller, Target } from '../../serve/admission/prepared-request.ts'
import type {
  Account,
  AccountModel,
  AccountStanding,
  AccountUsagePoint,
  NextTier,
  UsageTotals,
} from '../../vocabulary/account.ts'
import { type ApiKey, KeyCreate } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import { REFUSAL_COUNT_DAYS } from '../../vocabulary/observability/refusal.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { TierTable } from '../../vocabulary/records/tier.ts'
import { DEFAULT_TRAITS, fitTraits } from '../../vocabulary/runtime/traits.ts'
import type { UsageFigures, UsageSpan, UsageView } from '../../vocabulary/settlement.ts'
import type { AccountUsageQuestion, TimeRange, UsageGrouping } from '../ports/console.ts'
import type { OwnWay } from '../ports/diagnostics.ts'
import type { LargestUsage } from '../ports/ledger.ts'
import type { Listing } from '../ports/page.ts'
import type { ConsoleParts } from './parts.ts'

// More than any chart can show; use the cursor to read everything.
const MAX_POINTS = 5_000

/** The standing of an account. Usage comes from aggregates, never from settlements. */
export async function overview(
  parts: ConsoleParts,
  account: Account,
  range: TimeRange,
): Promise<AccountStanding> {
  const nowMs = parts.clock.nowMs()
  const [spend, figures, refusals] = await Promise.all([
    spendOfMonth(parts, account.id, nowMs),
    totalsOf(parts, account.id, range),
    countRefused(parts, account.id, range),
  ])
  const { keys: known, tiers } = parts.snapshot()
  const keys = [...known.values()].filter(({ accountId }) => accountId === account.id)
  return {
    tier: {
      name: effectiveTier(account, nowMs, tiers),
      next: nextTier(account, nowMs, tiers),
      limits: accountLimits(account, nowMs, tiers),
    },
    spend,
    totals: { ...countsOf(figures), tokens: tokensOf(figures), ...averagesOf(figures) },
    keys: {
      active: keys.filter((key) => key.state === 'active' && (key.expiresAtMs ?? nowMs + 1) > nowMs).length,
      total: keys.length,
    },
    refusals,
  }
}

/** Requests that were refused have no settlement, so usage does not count them. */
async function countRefused(
  { operations, clock }: ConsoleParts,
  accountId: string,
  { fromMs, toMs }: TimeRange,
): Promise<AccountStanding['refusals']> {
  const sinceMs = Math.max(fromMs, spanStartMs('day', clock.nowMs() - (REFUSAL_COUNT_DAYS - 1) * SPAN_MS.day))
  const question = { filter: { accountId, fromMs: sinceMs, toMs }, span: 'day' } as const
  const { data } = await operations.totalRefusals(question, { limit: MAX_POINTS, cursor: null })
  const count = data.reduce((sum, total) => sum + total.count, 0)
  return { count, fromMs: sinceMs > fromMs ? sinceMs : null }
}

/** The next tier that payments earn; null when there is none or an operator assigned the tier. */
function nextTier(account: Account, nowMs: number, tiers: TierTable): NextTier | null {
  const next = tierAbove(effectiveTier(account, nowMs, tiers), tiers)
  if (next === null) return null
  // One payment may be enough for several tiers, and the evaluation takes the highest.
  const earned = tierEarnedBy(account.totalPaidNano, tiers)
  const earnedFromNano = tiers[earned]?.earnedAtPaidNano ?? 0n
  if (earnedFromNano > next.fromNano) return { name: earned, neededNano: earnedFromNano, remainingNano: 0n }
  const missingNano = next.fromNano - account.totalPaidNano
  return { name: next.name, neededNano: next.fromNano, remainingNano: missingNano > 0n ? missingNano : 0n }
}

async function spendOfMonth({ operations }: ConsoleParts, accountId: string, nowMs: number) {
  const now = new Date(nowMs)
  const fromMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const question = { span: 'day', filter: { accountId, fromMs }, groupBy: [] } as const
  const { data } = await operations.listUsage(question, { limit: MAX_POINTS, cursor: null })
  const today = data.find(({ startMs }) => startMs === spanStartMs('day', nowMs))
  return {
    todayNano: today?.amountNano ?? 0n,
    monthNano: data.reduce<NanoUsdt>((sum, { amountNano }) => sum + amountNano, 0n),
  }
}

async function totalsOf(
  { operations, clock }: ConsoleParts,
  accountId: string,
  range: TimeRange,
): Promise<UsageFigures> {
  const span = spanFor(range, clock.nowMs())
  const question = { span, filter: { accountId, ...wholeSpans(range, span) }, groupBy: [] } as const
  const { data } = await operations.listUsage(question, { limit: MAX_POINTS, cursor: null })
  return sumFigures(data.map(figuresOf))
}

const LONGEST_BY_HOUR_MS = 31 * SPAN_MS.day

/** Uses daily totals where they equal the hourly ones, because there are far fewer of them. */
function spanFor({ fromMs, toMs }: TimeRange, nowMs: number): UsageSpan {
  const isWhole = fromMs % SPAN_MS.day === 0 && (toMs % SPAN_MS.day === 0 || toMs >= nowMs)
  return isWhole || toMs - fromMs > LONGEST_BY_HOUR_MS ? 'day' : 'hour'
}

/** Rounds the start down to a whole span, so that the first minutes are included. */
function wholeSpans({ fromMs, toMs }: TimeRange, span: UsageSpan): TimeRange {
  return { fromMs: spanStartMs(span, fromMs), toMs }
}

const GROUPS = { none: [], model: ['model'], key: ['keyId'], supplier: ['supplier'] } as const

export async function listUsage(
  { operations }: ConsoleParts,
  accountId: string,
  { span, groupBy, keyId, top, cursor, ...range }: AccountUsageQuestion,
): Promise<Listing<AccountUsagePoint>> {
  const filter = { accountId, ...(keyId !== undefined && { keyId }), ...wholeSpans(range, span) }
  if (top !== undefined && groupBy !== 'none') {
    const largest = await operations.listLargestUsage({ span, filter, by: groupBy, top })
    return { data: largest.map(viewPoint), nextCursor: null }
  }
  const question = { span, filter, groupBy: GROUPS[groupBy] }
  const { data, nextCursor } = await operations.listUsage(question, { limit: MAX_POINTS, cursor })
  return { data: data.map((point) => viewPoint(placeOf(point, groupBy))), nextCursor }
}

function placeOf(point: UsageView, groupBy: UsageGrouping): LargestUsage {
  const { startMs, model, keyId, supplier } = point
  const groups = { none: null, model, key: keyId, supplier }
  return { startMs, group: groups[groupBy] ?? null, isRest: false, figures: figuresOf(point) }
}

function viewPoint({ startMs, group, isRest, figures }: LargestUsage): AccountUsagePoint {
  return {
    startMs,
    group,
    isRest,
    ...countsOf(figures),
    ...tokensOf(figures),
    ...averagesOf(figures),
  }
}

/** A request whose client disconnected does not count as failed. */
function countsOf({ completed, clientLeft, supplierFailed, refused, interrupted }: UsageFigures) {
  const failed = supplierFailed + refused + interrupted
  return { requests: completed + clientLeft + failed, failed }
}

function tokensOf({ input, cacheRead, cacheWrite, output }: UsageFigures): UsageTotals['tokens'] {
  return { input, cacheRead, cacheWrite, output }
}

function averagesOf(figures: UsageFigures) {
  const { images, amountNano, marginNano, firstBytes, firstByteMs, durationMs } = figures
  return {
    images,
    amountNano,
    costNano: amountNano - marginNano,
    marginNano,
    firstByteMsAvg: average(firstByteMs, firstBytes),
    durationMsAvg: average(durationMs, countsOf(figures).requests),
  }
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count)
}

/** Every model that the account, or one of its keys, can use, with its limits. */
export function listModels(parts: ConsoleParts, account: Account, key: ApiKey | null): AccountModel[] {
  const snapshot = parts.snapshot()
  const nowMs = parts.clock.nowMs()
  const limits = accountLimits(account, nowMs, snapshot.tiers)
  const caller = { account, key: key ?? anyKeyOf(account), limits, snapshot, catalog: parts.catalog }
  return availableModels(caller).map((target) => {
    const markupBasisPoints = markupFor(caller, target.model.id, nowMs)
    const view = viewModel(caller, target)
    return { ...view, price: markedUp(view.price, markupBasisPoints), markupBasisPoints }
  })
}

/** The models that one of the account's own suppliers serves, in the order of their ids. */
export function waysThrough(parts: ConsoleParts, account: Account, supplierId: string): OwnWay[] {
  const { supply } = parts.snapshot()
  const key = anyKeyOf(account)
  return [...supply.models.values()]
    .flatMap((model): OwnWay[] => {
      const found = eligibleRoutes(supply, key, model).find(({ supplier }) => supplier.id === supplierId)
      return found === undefined ? [] : [{ model, route: found.route }]
    })
    .sort((one, other) => (one.model.id < other.model.id ? -1 : 1))
}

/** A key without restrictions. */
function anyKeyOf({ id, createdAtMs }: Account): ApiKey {
  const unsaved = { id: '', state: 'active', secrets: [] } as const
  return { ...KeyCreate.read({ name: '' }), ...unsaved, accountId: id, createdAtMs, sharedFallback: true }
}

function viewModel(caller: Caller, target: Target): Omit<AccountModel, 'markupBasisPoints'> {
  const { routes } = target
  return {
    ...listedModel(target),
    formats: protocolsOf(target),
    suppliers: [...new Set(routes.map((route) => route.supplier.id))],
    source: sourceOf(routes),
    isRouteable: routes.some((route) => route.credentials.length > 0),
    hasVision: fitTraits(DEFAULT_TRAITS, target.model.capabilities).vision,
    price: cheapest(routes),
    limits: limitOf(caller, target),
  }
}

function cheapest(routes: readonly EligibleRoute[]): Price {
  return routes.map(({ price }) => price).reduce((one, other) => (weight(other) < weight(one) ? other : one))
}

/** Compares input plus output price. An exact comparison would need the request. */
function weight(price: Price): bigint {
  const imageNano = price.imageRates?.[0]?.imageNano ?? price.imageNano
  return price.inputNanoPerMillion + price.outputNanoPerMillion + imageNano
}
