import type { Candidate } from '../../rules/routing/candidate.ts'
import type { RateLimits } from '../../vocabulary/account.ts'
import type { Model } from '../../vocabulary/supply.ts'
import type { WindowDemand } from '../ports/admissions.ts'

/** One call to a candidate, as the limits of the supply side count it. */
export interface SupplyDemand {
  readonly model: Model
  readonly tokens: number
  /** Each of several copies of a request is a request to the supplier. */
  readonly copies: number
  /** The model counts a request once, however many candidates it takes: a full window must not forbid the next try. */
  readonly isFirst: boolean
}

/** What one call takes from the limits of the model, the route and the credential. */
export function capacityWindows(
  { route: { route }, credential }: Pick<Candidate, 'route' | 'credential'>,
  { model, tokens, copies, isFirst }: SupplyDemand,
): WindowDemand[] {
  const windows: WindowDemand[] = []
  // Most have no limit, and should cost a request nothing, not even the name of a window.
  if (isFirst && (model.rpm ?? model.tpm) !== null) {
    addCapacity(windows, { owner: `model:${model.id}`, limits: model, tokens })
  }
  if ((route.rpm ?? route.tpm) !== null) {
    addCapacity(windows, { owner: `route:${route.supplierId}:${model.id}`, limits: route, tokens })
  }
  if ((credential.rpm ?? credential.tpm) !== null)
    addCapacity(windows, credentialCapacity(credential, tokens))
  return copies === 1 ? windows : windows.map((window) => ({ ...window, amount: window.amount * copies }))
}

interface Capacity {
  readonly owner: string
  readonly limits: RateLimits
  readonly tokens: number
}

export function credentialCapacity(
  credential: RateLimits & { readonly id: string },
  tokens: number,
): Capacity {
  return { owner: `credential:${credential.id}`, limits: credential, tokens }
}

export function addCapacity(windows: WindowDemand[], { owner, limits, tokens }: Capacity): void {
  if (limits.rpm !== null) {
    windows.push({ id: `${owner}:requests`, metric: 'requests', limit: limits.rpm, amount: 1 })
  }
  if (limits.tpm !== null) {
    windows.push({ id: `${owner}:tokens`, metric: 'tokens', limit: limits.tpm, amount: tokens })
  }
}
