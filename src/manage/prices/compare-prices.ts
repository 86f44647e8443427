import { listSupply } from '../../rules/catalog/build-snapshot.ts'
import { isSamePrice } from '../../rules/ledger/combine-prices.ts'
import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Route, Supplier } from '../../vocabulary/supply.ts'
import type { OperationParts } from '../operations/parts.ts'
import type { ListedPrice, PriceDiff, PriceDifference } from '../ports/prices.ts'
import { findCatalogPrice, type PriceSources, vendorOf } from './catalog-price.ts'
import { type PricePair, priceMonth, routeKey } from './month-bill.ts'

/** Compares the price of every route with the catalog's, and lists what the built-in catalog offers besides. */
export async function comparePrices(
  parts: OperationParts,
  sources: PriceSources,
  month: string | undefined,
): Promise<PriceDiff> {
  const { supply } = parts.configuration.current()
  const compared = listSupply(supply).routes.flatMap((route) => {
    const supplier = supply.suppliers.get(route.supplierId)
    if (supplier === undefined || !isCharged(parts, supplier)) return []
    return [compareRoute(route, findCatalogPrice(supplier, route.upstreamModel, sources), sources.nowMs)]
  })
  const period = monthOf(month, sources.nowMs)
  await parts.catchUp()
  const bills = await priceMonth(parts.storage, { ...period, pairs: pairsOf(compared, supply) })
  const known = compared.map((each) => {
    return { ...each, bill: bills.get(routeKey(each.modelId, each.supplierId)) ?? null }
  })
  const data = [...known, ...newModels(parts, supply, sources)].sort(inOrder)
  return { listVersion: sources.list.version, ...period, data }
}

/** Whether anybody pays for its answers: accounts pay nothing for their own suppliers, and simulated ones are free. */
function isCharged({ supplierTypes }: OperationParts, { type, source }: Supplier): boolean {
  const isSimulated = supplierTypes.find(({ name }) => name === type)?.isSimulated ?? type === 'sandbox'
  return source === 'shared' && !isSimulated
}

function compareRoute(route: Route, catalog: ListedPrice | null, nowMs: number): PriceDifference {
  const { modelId, supplierId, upstreamModel, priceSource, price } = route
  return {
    modelId,
    supplierId,
    upstreamModel,
    priceSource,
    catalog,
    presentPrice: price,
    state: stateOf(route, catalog, nowMs),
    bill: null,
  }
}

function stateOf({ price }: Route, catalog: ListedPrice | null, nowMs: number): PriceDifference['state'] {
  if (price === null) return 'unpriced'
  if (catalog === null) return 'missing'
  return isSamePrice(price, catalog.price, nowMs) ? 'same' : 'changed'
}

/** What to price the month with: both prices of each route that has both. */
function pairsOf(compared: readonly PriceDifference[], supply: Supply): Map<string, PricePair> {
  const pairs = new Map<string, PricePair>()
  for (const { modelId, supplierId, presentPrice, catalog } of compared) {
    if (presentPrice === null || catalog === null) continue
    const routes = supply.routesByModel.get(modelId) ?? []
    const cost = routes.find((route) => route.supplierId === supplierId)?.cost ?? null
    pairs.set(routeKey(modelId, supplierId), {
      present: { price: presentPrice, cost },
      catalog: { price: catalog.price, cost },
    })
  }
  return pairs
}

/** Models that the built-in catalog offers at a supplier and that have no route to it. */
function newModels(parts: OperationParts, supply: Supply, sources: PriceSources): PriceDifference[] {
  const routed = new Set(
    listSupply(supply).routes.map(({ upstreamModel, supplierId }) => routeKey(upstreamModel, supplierId)),
  )
  return [...supply.suppliers.values()].flatMap((supplier) => {
    const vendor = isCharged(parts, supplier) ? vendorOf(supplier, sources.catalog) : undefined
    const offers = vendor?.routes.map(({ model, upstream_model = model }) => [model, upstream_model] as const)
    return (offers ?? [])
      .filter(([, upstreamModel]) => !routed.has(routeKey(upstreamModel, supplier.id)))
      .map(([modelId, upstreamModel]): PriceDifference => {
        const catalog = findCatalogPrice(supplier, upstreamModel, sources)
        const none = { priceSource: null, presentPrice: null, bill: null }
        return { modelId, supplierId: supplier.id, upstreamModel, state: 'new', catalog, ...none }
      })
  })
}

function inOrder(one: PriceDifference, other: PriceDifference): number {
  const [left, right] = [one, other].map(({ modelId, supplierId }) => routeKey(modelId, supplierId))
  return (left ?? '') < (right ?? '') ? -1 : 1
}

/** `2026-10` as its first moment and the first moment after it; without a month the last whole one. */
function monthOf(month: string | undefined, nowMs: number): { fromMs: number; toMs: number } {
  const present = new Date(nowMs)
  const [year = 0, ordinal = 0] = month?.split('-').map(Number) ?? [
    present.getUTCFullYear(),
    present.getUTCMonth(),
  ]
  return { fromMs: Date.UTC(year, ordinal - 1), toMs: Date.UTC(year, ordinal) }
}
