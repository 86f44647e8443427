import { listSupply } from '../../rules/catalog/build-snapshot.ts'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { isSamePrice, priceSince, schedulePrice } from '../../rules/ledger/combine-prices.ts'
import { formatTime } from '../../vocabulary/clock.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Route, RouteIds, RouteSettings, Supplier } from '../../vocabulary/supply.ts'
import { completeRoute, nameOfRoute } from '../operations/models.ts'
import type { LocalOperations, OperationParts } from '../operations/parts.ts'
import { refuse, requireFound, requireModel, requireSupplier } from '../operations/refuse.ts'
import type { Operations } from '../ports/operations.ts'
import type { ListedPrice, PricesApplied, PricesApply } from '../ports/prices.ts'
import { findCatalogPrice, type PriceSources } from './catalog-price.ts'
import { comparePrices } from './compare-prices.ts'

/** The writer must not wait for its turn: each of these is one change. */
export function priceOperations(parts: OperationParts, writer: Pick<Operations, 'putRoute'>) {
  const { configuration } = parts
  const openSources = async (): Promise<PriceSources> => {
    return { catalog: BUILT_IN_CATALOG, list: await parts.loadPriceList(), nowMs: parts.clock.nowMs() }
  }
  return {
    comparePrices: async (month) => comparePrices(parts, await openSources(), month),
    applyPrices: async (input, actor) => {
      const sources = await openSources()
      return configuration.changing(async () => {
        const steps = planApplication(configuration.current(), input, sources)
        if (!input.dryRun) for (const { after } of steps) await putRoute(writer, after, actor)
        return { dryRun: input.dryRun, changes: steps.map(describeStep) }
      })
    },
    schedulePrice: async ({ fromMs, price: given, ...ids }, actor) => {
      const sources = await openSources()
      return configuration.changing(() => {
        const found = requireRoute(configuration.current(), ids)
        const next = given === null ? requireListed(found, sources).price : completeGiven(found, given)
        const price = addToSchedule(found.route, { next, fromMs, nowMs: sources.nowMs })
        return putRoute(writer, { ...found.route, price }, actor)
      })
    },
  } satisfies Partial<LocalOperations>
}

interface FoundRoute {
  readonly route: Route
  readonly supplier: Supplier
  readonly kinds: Parameters<typeof completeRoute>[1]['model']
}

interface PriceStep {
  readonly before: Route
  readonly after: Route
  readonly listed: ListedPrice
}

/** The routes whose price changes. Everything is checked here, so that all or none are changed. */
function planApplication(
  snapshot: Snapshot,
  { routes: named, follow }: PricesApply,
  sources: PriceSources,
): PriceStep[] {
  if (follow && named === null) refuse('follow', 'follow needs routes, which it makes follow the catalog.')
  const found = named === null ? followers(snapshot) : named.map((ids) => requireRoute(snapshot, ids))
  return found.flatMap((each): PriceStep[] => {
    const { route, supplier } = each
    const listed =
      named === null ? findCatalogPrice(supplier, route.upstreamModel, sources) : requireListed(each, sources)
    if (listed === null) return []
    const isSame = route.price !== null && isSamePrice(route.price, listed.price, sources.nowMs)
    const priceSource = follow ? 'catalog' : route.priceSource
    if (isSame && priceSource === route.priceSource) return []
    const price = isSame ? route.price : listed.price
    return [{ before: route, after: { ...route, price, priceSource }, listed }]
  })
}

/** The routes that follow the catalog. */
function followers(snapshot: Snapshot): FoundRoute[] {
  const { routes } = listSupply(snapshot.supply)
  return routes
    .filter(({ priceSource }) => priceSource === 'catalog')
    .map((route) => requireRoute(snapshot, route))
}

function requireRoute(snapshot: Snapshot, ids: RouteIds): FoundRoute {
  const kinds = requireModel(snapshot, ids.modelId)
  const supplier = requireSupplier(snapshot, ids.supplierId)
  const routes = snapshot.supply.routesByModel.get(ids.modelId)
  const route = routes?.find(({ supplierId }) => supplierId === ids.supplierId)
  return { route: requireFound(route, 'route', nameOfRoute(ids)), supplier, kinds }
}

function requireListed({ route, supplier }: FoundRoute, sources: PriceSources): ListedPrice {
  const listed = findCatalogPrice(supplier, route.upstreamModel, sources)
  if (listed !== null) return listed
  return refuse('routes', `The catalog has no price of "${route.upstreamModel}" at "${supplier.id}".`)
}

/** A given price as it would be stored. */
function completeGiven({ route, supplier, kinds }: FoundRoute, price: RouteSettings['price']): Price {
  const completed = completeRoute({ ...route, price }, { model: kinds, supplier }).price
  return completed ?? refuse('price', 'price is required.')
}

interface ScheduledPrice {
  readonly next: Price
  readonly fromMs: number
  readonly nowMs: number
}

/** The price of the route with another one from that time on. */
function addToSchedule({ price }: Route, { next, fromMs, nowMs }: ScheduledPrice): Price {
  if (fromMs <= nowMs)
    refuse('from', 'from must lie in the future; for a price from now on, change the route.')
  if (price === null) {
    return refuse('model', 'The route has no price now, so none can follow it; give it one first.')
  }
  const later = price.variants?.find(({ when }) => (when.fromMs ?? 0) > fromMs)
  if (later?.when.fromMs !== undefined) {
    const since = formatTime(later.when.fromMs)
    refuse('from', `Another price is scheduled from ${since}; choose a later time, or change the route.`)
  }
  return schedulePrice(priceSince(price, nowMs), next, fromMs)
}

function putRoute(writer: Pick<Operations, 'putRoute'>, route: Route, actor: string): Promise<Route> {
  const { modelId, supplierId, ...settings } = route
  return writer.putRoute({ modelId, supplierId }, settings, actor)
}

function describeStep({ before, after, listed }: PriceStep): PricesApplied['changes'][number] {
  const { modelId, supplierId } = after
  const { source, listedAs } = listed
  return { modelId, supplierId, before: before.price, after: after.price ?? listed.price, source, listedAs }
}
