import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Supply } from '../../vocabulary/snapshot.ts'
import type { Credential, Format, Model, Price, Route, Supplier } from '../../vocabulary/supply.ts'

/** A route that may be used: priced, enabled, allowed to the key, with the credentials that can serve it now. */
export interface EligibleRoute {
  readonly route: Route
  readonly price: Price
  readonly supplier: Supplier
  readonly formats: readonly Format[]
  readonly credentials: readonly Credential[]
}

/** Whether the allowlist of a key (exact ids and `prefix*`) lets this model through. */
export function isAllowed(key: ApiKey, modelId: string): boolean {
  if (key.modelAllowlist === null) return true
  return key.modelAllowlist.some((entry) =>
    entry.endsWith('*') ? modelId.startsWith(entry.slice(0, -1)) : entry === modelId,
  )
}

/** The routes of a model that a key's policy lets it use, in order of priority. */
export function eligibleRoutes(supply: Supply, key: ApiKey, model: Model): EligibleRoute[] {
  if (!isAllowed(key, model.id)) return []
  const eligible: EligibleRoute[] = []
  for (const route of supply.routesByModel.get(model.id) ?? []) {
    const supplier = supply.suppliers.get(route.supplierId)
    if (supplier === undefined || !isUsable(route, supplier, key)) continue
    eligible.push({
      route,
      price: route.price,
      supplier,
      formats: (route.formats ?? supplier.formats).filter((format) => supplier.formats.includes(format)),
      credentials: activeCredentials(supply, supplier),
    })
  }
  return eligible
}

function isUsable(route: Route, supplier: Supplier, key: ApiKey): route is Route & { price: Price } {
  if (!route.enabled || !supplier.enabled || route.price === null) return false
  const policy = key.routePolicy
  return policy.mode === 'intelligent' || policy.provider === supplier.id
}

function activeCredentials(supply: Supply, supplier: Supplier): readonly Credential[] {
  const credentials = supply.credentialsBySupplier.get(supplier.id) ?? []
  return credentials.filter((credential) => credential.state === 'active')
}
