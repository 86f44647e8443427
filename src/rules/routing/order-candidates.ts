import type { Credential } from '../../vocabulary/supply.ts'
import type { EligibleRoute } from './eligible-routes.ts'

/** One thing to try: this route with that credential. */
export interface Candidate {
  readonly route: EligibleRoute
  readonly credential: Credential
  /** Why it stands where it stands, for the settlement's list of attempts. */
  readonly reason: string
  /** How long it may take to begin its answer, when that is less than usual. */
  readonly patienceMs?: number | null
}

/** A number from 0 up to but not including 1. */
export type Random = () => number

/**
 * The order in which to try: routes by priority, and within equal priority credentials by chance in proportion to
 * their weight, so that load spreads without any state.
 */
export function orderCandidates(routes: readonly EligibleRoute[], random: Random): Candidate[] {
  const drawn = routes.flatMap((route) =>
    route.credentials.map((credential) => ({
      route,
      credential,
      reason: `priority ${route.route.priority}, weight ${credential.weight}`,
      // Exponential clocks: the smallest draw wins with a chance in proportion to its weight.
      draw: -Math.log(1 - random()) / credential.weight,
    })),
  )
  drawn.sort((one, other) => one.route.route.priority - other.route.route.priority || one.draw - other.draw)
  return drawn.map(({ route, credential, reason }) => ({ route, credential, reason }))
}
