import { SPAN_MS, spanStartMs } from '../../rules/ledger/aggregate.ts'
import { chargeFor, priceOf, type RouteMoney } from '../../rules/ledger/charge.ts'
import { endedAtMs } from '../../rules/ledger/period.ts'
import { applicableRates } from '../../rules/ledger/rates.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { Settlement, UsageFigures } from '../../vocabulary/settlement.ts'
import type { LedgerStore, UsagePoint } from '../ports/ledger.ts'
import type { Listing } from '../ports/page.ts'
import type { PriceEffect } from '../ports/prices.ts'

/** A route at its present price and at the catalog's. */
export interface PricePair {
  readonly present: RouteMoney
  readonly catalog: RouteMoney
}

export interface MonthQuestion {
  readonly fromMs: number
  readonly toMs: number
  /** By `routeKey`; the usage of other routes is not of interest. */
  readonly pairs: ReadonlyMap<string, PricePair>
}

export function routeKey(model: string, supplier: string): string {
  return `${model}\0${supplier}`
}

// Pricing one again takes some microseconds; more of them would keep an operator waiting for minutes.
const MOST_SETTLEMENTS = 200_000
const PAGE_SIZE = 500

/**
 * What a month's requests cost at both prices, for each route. Every settlement is priced again with the mark-up that
 * it had. The days whose settlements are gone, or are too many, are priced by their totals.
 */
export async function priceMonth(
  storage: Pick<LedgerStore, 'readSettlements' | 'listUsage'>,
  question: MonthQuestion,
): Promise<ReadonlyMap<string, PriceEffect>> {
  const days = await repriceSettlements(storage, question)
  const effects = new Map<string, Effect>()
  for await (const { key, startMs, figures } of readTotals(storage, question)) {
    const pair = question.pairs.get(key)
    const requests = countOf(figures)
    if (pair === undefined || requests === 0) continue
    const read = days.get(dayKey(key, startMs))
    const day = read?.requests === requests ? read : repriceTotal(pair, startMs, figures)
    effects.set(key, addEffect(effects.get(key), day))
  }
  return effects
}

type Effect = { -readonly [Name in keyof PriceEffect]: PriceEffect[Name] }

/** By route and day. */
async function repriceSettlements(
  storage: Pick<LedgerStore, 'readSettlements'>,
  { fromMs, toMs, pairs }: MonthQuestion,
): Promise<Map<string, Effect>> {
  const days = new Map<string, Effect>()
  // Settlements are found by their start and belong to the day of their end.
  const filter = { fromMs: fromMs - SPAN_MS.day, toMs }
  let cursor: string | null = null
  for (let read = 0; read < MOST_SETTLEMENTS; read += PAGE_SIZE) {
    const page = await storage.readSettlements(filter, { cursor, limit: PAGE_SIZE })
    for (const { item } of page) {
      const key = routeKey(item.model, item.supplier ?? '')
      const pair = pairs.get(key)
      if (pair === undefined) continue
      const day = dayKey(key, spanStartMs('day', endedAtMs(item)))
      days.set(day, addEffect(days.get(day), repriceOne(pair, item)))
    }
    if (page.length < PAGE_SIZE) break
    cursor = page.at(-1)?.cursor ?? null
  }
  return days
}

function dayKey(key: string, startMs: number): string {
  return `${key}\0${startMs}`
}

function repriceOne({ present, catalog }: PricePair, settlement: Settlement): Effect {
  const { usage, startedAtMs, markupBasisPoints } = settlement
  // Whoever paid nothing, such as one whose answer never came, pays nothing at another price.
  const isFree = settlement.price === null
  const terms = { startedAtMs, markupBasisPoints }
  const before = chargeFor(usage, isFree ? null : present, terms)
  const after = chargeFor(usage, isFree ? null : catalog, terms)
  return {
    requests: 1,
    basis: 'settlements',
    chargedNano: settlement.amountNano,
    presentAmountNano: before.amountNano,
    catalogAmountNano: after.amountNano,
    presentCostNano: before.costNano,
    catalogCostNano: after.costNano,
  }
}

/**
 * At the rates for a short prompt at noon and without mark-ups: a sum does not tell how long its prompts were, when they
 * came or whose they were.
 */
function repriceTotal({ present, catalog }: PricePair, startMs: number, figures: UsageFigures): Effect {
  const facts = { promptTokens: 0, serviceTier: null, startedAtMs: startMs + SPAN_MS.day / 2 }
  const price = (whole: Price) => {
    const { requestNano = 0n, ...rates } = applicableRates(whole, facts)
    return priceOf(figures, rates) + requestNano * BigInt(countOf(figures))
  }
  return {
    requests: countOf(figures),
    basis: 'totals',
    chargedNano: figures.amountNano,
    presentAmountNano: price(present.price),
    catalogAmountNano: price(catalog.price),
    presentCostNano: price(present.cost ?? present.price),
    catalogCostNano: price(catalog.cost ?? catalog.price),
  }
}

function countOf(figures: UsageFigures): number {
  const { completed, clientLeft, supplierFailed, refused, interrupted } = figures
  return completed + clientLeft + supplierFailed + refused + interrupted
}

function addEffect(sum: Effect | undefined, one: Effect): Effect {
  if (sum === undefined) return { ...one }
  sum.requests += one.requests
  if (sum.basis !== one.basis) sum.basis = 'both'
  sum.chargedNano += one.chargedNano
  sum.presentAmountNano += one.presentAmountNano
  sum.catalogAmountNano += one.catalogAmountNano
  sum.presentCostNano += one.presentCostNano
  sum.catalogCostNano += one.catalogCostNano
  return sum
}

/** The totals of each route and day. */
async function* readTotals(
  storage: Pick<LedgerStore, 'listUsage'>,
  { fromMs, toMs }: MonthQuestion,
): AsyncGenerator<{ key: string; startMs: number; figures: UsageFigures }> {
  let cursor: string | null = null
  do {
    const question = { span: 'day', filter: { fromMs, toMs }, groupBy: ['model', 'supplier'] } as const
    const page: Listing<UsagePoint> = await storage.listUsage(question, { cursor, limit: PAGE_SIZE })
    for (const { startMs, group, figures } of page.data) {
      yield { key: routeKey(group.model ?? '', group.supplier ?? ''), startMs, figures }
    }
    cursor = page.nextCursor
  } while (cursor !== null)
}
