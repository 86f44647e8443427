import type { CredentialLoad, SupplierHealth } from '../../vocabulary/observability/dashboard.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Standing, Supplier } from '../../vocabulary/supply.ts'
import type { OperationParts } from '../operations/parts.ts'
import { averageOf, NO_USE, type UsageSum } from './usage-sum.ts'

export type SupplyParts = Pick<OperationParts, 'routing' | 'capacity'>

const MOST_SUPPLIERS = 50
const MOST_CREDENTIALS = 5

/** The shared suppliers, those with problems first. Suppliers of accounts are their owners' business. */
export function supplierHealth(
  { routing }: SupplyParts,
  { supply }: Snapshot,
  usage: ReadonlyMap<string, UsageSum>,
): readonly SupplierHealth[] {
  const standings = new Map<string, { routes: number; of: Standing[] }>()
  for (const route of [...supply.routesByModel.values()].flat()) {
    const { modelId, supplierId } = route
    if (!route.enabled || supply.suppliers.get(supplierId)?.source !== 'shared') continue
    const found = standings.get(supplierId) ?? { routes: 0, of: [] }
    found.routes += 1
    for (const { id } of activeCredentials(supply, supplierId)) {
      found.of.push(routing.standing({ modelId, supplierId, credentialId: id }))
    }
    standings.set(supplierId, found)
  }
  return sharedSuppliers(supply)
    .map((supplier): SupplierHealth => {
      const { routes, of } = standings.get(supplier.id) ?? { routes: 0, of: [] }
      const used = usage.get(supplier.id) ?? NO_USE
      return {
        id: supplier.id,
        enabled: supplier.enabled,
        routes,
        credentials: activeCredentials(supply, supplier.id).length,
        ...summarize(of),
        requests: used.requests,
        failed: used.supplierFailed,
        firstByteMsAvg: averageOf(used),
      }
    })
    .sort((one, other) => urgencyOf(other) - urgencyOf(one) || other.requests - one.requests)
    .slice(0, MOST_SUPPLIERS)
}

function sharedSuppliers(supply: Snapshot['supply']): Supplier[] {
  return [...supply.suppliers.values()].filter(({ source }) => source === 'shared')
}

function activeCredentials(supply: Snapshot['supply'], supplierId: string): readonly Credential[] {
  const known = supply.credentialsBySupplier.get(supplierId) ?? []
  return known.filter(({ state }) => state === 'active')
}

function summarize(standings: readonly Standing[]) {
  const cooling = standings.flatMap(({ coolingUntilMs }) => coolingUntilMs ?? [])
  const lowest = standings.reduce((rate, { successRate }) => Math.min(rate, successRate), 1)
  return {
    candidates: standings.length,
    open: standings.filter(({ circuit }) => circuit === 'open').length,
    coolingUntilMs: cooling.length === 0 ? null : cooling.reduce((a, b) => Math.max(a, b)),
    successRate: Math.round(lowest * 1_000) / 1_000,
  }
}

function urgencyOf({ enabled, open, coolingUntilMs, routes, credentials }: SupplierHealth): number {
  if (!enabled) return -1
  if (open > 0) return 3
  if (coolingUntilMs !== null) return 2
  return routes > 0 && credentials === 0 ? 2 : 0
}

/** The credentials that have used most of a limit of their own in this minute. */
export function busiestCredentials(
  { capacity }: SupplyParts,
  { supply }: Snapshot,
): readonly CredentialLoad[] {
  return sharedSuppliers(supply)
    .flatMap(({ id: supplierId }) => activeCredentials(supply, supplierId))
    .filter(({ rpm, tpm }) => rpm !== null || tpm !== null)
    .map(({ id, label, supplierId, rpm, tpm, ...rest }): CredentialLoad => {
      const { requests, tokens } = capacity.remaining({ id, label, supplierId, rpm, tpm, ...rest })
      return { id, label, supplierId, rpm, tpm, remainingRequests: requests, remainingTokens: tokens }
    })
    .sort((one, other) => shareUsed(other) - shareUsed(one))
    .slice(0, MOST_CREDENTIALS)
}

function shareUsed({ rpm, tpm, remainingRequests, remainingTokens }: CredentialLoad): number {
  const share = (limit: number | null, remaining: number | null) =>
    limit === null || remaining === null ? 0 : 1 - remaining / limit
  return Math.max(share(rpm, remainingRequests), share(tpm, remainingTokens))
}
