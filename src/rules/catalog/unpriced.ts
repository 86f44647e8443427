import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Route, Supplier } from '../../vocabulary/supply.ts'

/** Whether a route would serve requests if it had a price. An account's own supplier needs none. */
export function isUnpriced(
  { price, enabled }: Pick<Route, 'price' | 'enabled'>,
  supplier: Pick<Supplier, 'source' | 'enabled'> | undefined,
): boolean {
  return price === null && enabled && supplier?.source === 'shared' && supplier.enabled
}

/** All routes that only lack a price. */
export function unpricedRoutes({ routesByModel, suppliers }: Supply): Route[] {
  const routes = [...routesByModel.values()].flat()
  return routes.filter((route) => isUnpriced(route, suppliers.get(route.supplierId)))
}
