import type { Route } from '../../api/wire.ts'
import { readNano } from '../../parts/exact-amount.ts'

/** The routes a request can take: switched on, priced, and with a credential in use. */
export function usableRoutes(routes: readonly Route[]): readonly Route[] {
  return routes.filter(
    ({ enabled, price, credentials }) =>
      enabled && price !== null && credentials.some(({ state }) => state === 'active'),
  )
}

/** The one with the lowest price of input and output together. */
export function cheapestRoute(routes: readonly Route[]): Route | null {
  const sum = ({ price }: Route) =>
    (readNano(price?.input ?? '0') ?? 0n) + (readNano(price?.output ?? '0') ?? 0n)
  return usableRoutes(routes).reduce<Route | null>(
    (best, route) => (best === null || sum(route) < sum(best) ? route : best),
    null,
  )
}
