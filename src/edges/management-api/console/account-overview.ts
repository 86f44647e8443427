import { GatewayError } from '../../../errors/gateway-error.ts'
import {
  type ModelView,
  type Overview,
  type TimeRange,
  USAGE_GROUPINGS,
  type UsageGrouping,
} from '../../../gateway/ports/console.ts'
import type { Exchange } from '../../../gateway/ports/exchange.ts'
import { figuresOf, SPAN_MS, spanStartMs } from '../../../rules/ledger/aggregate.ts'
import { formatUsdt } from '../../../vocabulary/money.ts'
import {
  USAGE_SPANS,
  type UsageFigures,
  type UsageSpan,
  type UsageView,
} from '../../../vocabulary/settlement.ts'
import { Price } from '../../../vocabulary/supply.ts'
import { formatTime, parseTime } from '../../../vocabulary/time.ts'
import { type AccountApiParts, readAnswer, showTo } from './account-parts.ts'
import { ACCOUNT_PATH, type AccountVisit, type ConsoleEndpoint } from './console-endpoint.ts'

/** Where an account stands, what it uses and what it may use. */
export function accountOverviewEndpoints(parts: AccountApiParts): ConsoleEndpoint[] {
  return [showOverview(parts), listUsage(parts), listModels(parts)]
}

function showOverview(parts: AccountApiParts): ConsoleEndpoint {
  const { desk, clock } = parts
  const showAccount = parts.forwardTo('GET /accounts/:id')
  const listAlerts = parts.forwardTo('GET /alerts')
  return {
    method: 'GET',
    path: `${ACCOUNT_PATH}/overview` as const,
    access: 'member',
    handle: async (exchange, visit) => {
      const { accountId } = visit
      const range = readRange(exchange, clock.nowMs())
      const [account, view, alerts] = await Promise.all([
        showAccount(exchange, { params: { id: accountId } }).then(readAnswer),
        desk.overview(accountId, range),
        listAlerts(exchange, { query: new URLSearchParams({ account_id: accountId, limit: '5' }) }).then(
          readAnswer,
        ),
      ])
      const { data } = alerts as { data: unknown }
      return Response.json({
        account: showAccountTo(visit, account),
        ...renderOverview(view),
        alerts: showTo(parts, visit, data),
      })
    },
  }
}

/** Why an operator decided on a tier, and which one did, is the operators' own business. */
function showAccountTo({ visitor }: AccountVisit, account: unknown): unknown {
  const { tier_assignment: assignment, ...rest } = account as {
    tier_assignment: Record<string, unknown> | null
  }
  if (assignment === null || visitor.user.isOperator) return account
  const { reason: _, assigned_by: __, ...told } = assignment
  return { ...rest, tier_assignment: told }
}

function renderOverview({ tier, spentTodayNano, spentThisMonthNano, totals, keys }: Overview) {
  const { next } = tier
  return {
    tier: {
      name: tier.name,
      next: next && {
        name: next.name,
        total_paid_needed: formatUsdt(next.neededNano),
        remaining: formatUsdt(next.remainingNano),
      },
      limits: { rpm: tier.limits.rpm, tpm: tier.limits.tpm },
    },
    spend: { today: formatUsdt(spentTodayNano), month: formatUsdt(spentThisMonthNano) },
    totals: {
      requests: requestsOf(totals),
      failed: failedOf(totals),
      tokens: tokensOf(totals),
      ...renderTotals(totals),
    },
    keys,
  }
}

function listUsage({ desk, clock }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'GET',
    path: `${ACCOUNT_PATH}/usage` as const,
    access: 'member',
    handle: async (exchange, { accountId }) => {
      const { query } = exchange
      const span = readChoice(query, 'granularity', USAGE_SPANS) ?? 'day'
      const groupBy = readChoice(query, 'group_by', USAGE_GROUPINGS) ?? 'none'
      const range = readRange(exchange, clock.nowMs())
      requireReasonable(range, span)
      const question = { ...range, span, groupBy, cursor: query.get('cursor') }
      const { data, nextCursor } = await desk.listUsage(accountId, question)
      return Response.json({
        data: data.map((point) => renderPoint(point, groupBy)),
        next_cursor: nextCursor,
      })
    },
  }
}

function renderPoint(point: UsageView, groupBy: UsageGrouping) {
  const groups = { none: null, model: point.model, key: point.keyId, supplier: point.supplier }
  const figures = figuresOf(point)
  return {
    at: formatTime(point.startMs),
    group: groups[groupBy] ?? null,
    requests: requestsOf(figures),
    failed: failedOf(figures),
    ...tokensOf(figures),
    ...renderTotals(figures),
  }
}

function requestsOf(figures: UsageFigures): number {
  return figures.completed + figures.clientLeft + failedOf(figures)
}

/** Whoever left has not failed to be answered. */
function failedOf({ supplierFailed, refused, interrupted }: UsageFigures): number {
  return supplierFailed + refused + interrupted
}

function tokensOf({ input, cacheRead, cacheWrite, output }: UsageFigures) {
  return { input, cache_read: cacheRead, cache_write: cacheWrite, output }
}

function renderTotals(figures: UsageFigures) {
  const { images, amountNano, firstBytes, firstByteMs, durationMs } = figures
  return {
    images,
    amount: formatUsdt(amountNano),
    first_byte_ms_avg: average(firstByteMs, firstBytes),
    duration_ms_avg: average(durationMs, requestsOf(figures)),
  }
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count)
}

function listModels({ desk }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'GET',
    path: `${ACCOUNT_PATH}/models` as const,
    access: 'member',
    handle: ({ query }, { accountId }) => {
      const models = desk.listModels(accountId, query.get('key_id'))
      return Response.json({ data: models.map(renderModel), next_cursor: null })
    },
  }
}

function renderModel({ model, price, limits, isRouteable, ...view }: ModelView): object {
  return {
    id: model.id,
    display_name: model.displayName,
    description: model.description,
    owned_by: model.ownedBy,
    kinds: model.kinds,
    input_token_limit: model.inputTokenLimit,
    output_token_limit: model.outputTokenLimit,
    formats: view.formats,
    suppliers: view.suppliers,
    source: view.source,
    routeable: isRouteable,
    price: Price.show(price),
    limits,
  }
}

const USUAL_DAYS = 30
const LONGEST_MS: Readonly<Record<UsageSpan, number>> = { hour: 32 * SPAN_MS.day, day: 800 * SPAN_MS.day }

/** The last thirty days when nothing is said. */
function readRange({ query }: Exchange, nowMs: number): TimeRange {
  const [from, to] = [query.get('from'), query.get('to')]
  // The end is no part of a range, and what happens this very moment is.
  const toMs = to === null ? nowMs + 1 : parseTime(to, 'to')
  const fromMs = from === null ? spanStartMs('day', toMs - USUAL_DAYS * SPAN_MS.day) : parseTime(from, 'from')
  if (fromMs >= toMs) throw new GatewayError('invalid_request', 'from must lie before to.', { param: 'from' })
  return { fromMs, toMs }
}

function requireReasonable({ fromMs, toMs }: TimeRange, span: UsageSpan): void {
  if (toMs - fromMs <= LONGEST_MS[span]) return
  const days = LONGEST_MS[span] / SPAN_MS.day
  throw new GatewayError('invalid_request', `By ${span}, usage is told for at most ${days} days.`, {
    param: 'from',
  })
}

function readChoice<const Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const text = query.get(name)
  if (text === null) return null
  const choice = choices.find((known) => known === text)
  if (choice !== undefined) return choice
  throw new GatewayError('invalid_request', `${name} must be one of ${choices.join(', ')}.`, { param: name })
}
