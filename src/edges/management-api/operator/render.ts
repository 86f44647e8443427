import type { RouteView } from '../../../gateway/ports/operations.ts'
import type { Listing } from '../../../gateway/ports/storage.ts'
import { describeCredential, describeRoute } from '../../../rules/catalog/describe-supply.ts'
import type { Standing } from '../../../rules/routing/standing.ts'
import { formatOptionalTime } from '../../../vocabulary/time.ts'

export function renderListing<T>(listing: Listing<T>, render: (item: T) => object): Response {
  return Response.json({ data: listing.data.map((item) => render(item)), next_cursor: listing.nextCursor })
}

export function renderRoute({ route, credentials }: RouteView): object {
  return {
    ...describeRoute(route),
    credentials: credentials.map(({ credential, standing, remainingRequests, remainingTokens }) => ({
      ...describeCredential(credential),
      ...renderStanding(standing),
      remaining_requests: remainingRequests,
      remaining_tokens: remainingTokens,
    })),
  }
}

function renderStanding(standing: Standing): object {
  return {
    circuit: standing.circuit,
    opens_again_at: formatOptionalTime(standing.opensAgainAtMs),
    cooling_until: formatOptionalTime(standing.coolingUntilMs),
    latency_ms: standing.latencyMs === null ? null : Math.round(standing.latencyMs),
    success_rate: Math.round(standing.successRate * 1_000) / 1_000,
    supplier_remaining: standing.supplierRemaining && {
      requests: standing.supplierRemaining.requests,
      tokens: standing.supplierRemaining.tokens,
    },
  }
}
