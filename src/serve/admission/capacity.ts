import type { Candidate } from '../../rules/routing/candidate.ts'
import type { RateLimits } from '../../vocabulary/account.ts'
import type { Model } from '../../vocabulary/supply.ts'
import type { WindowDemand } from '../ports/admissions.ts'
import type { Admission } from './admission.ts'

/**
 * What one attempt takes from the supply side: the limits of the model, the route and the credential. Each of
 * several copies of a request is a request of its own there.
 */
export function capacityWindows(
  admission: Admission,
  candidate: Candidate,
  { copies }: { readonly copies: number },
): WindowDemand[] {
  const { model } = admission.prepared.target
  const { tokens } = admission
  const windows: WindowDemand[] = []
  // However many candidates it takes, to the model it is one request; otherwise a full window would forbid the next try.
  if (admission.attempts.length === 0) addModelWindows(windows, model, tokens)
  addCandidateWindows(windows, candidate, { model, tokens })
  return copies === 1 ? windows : windows.map((window) => ({ ...window, amount: window.amount * copies }))
}

/** The windows of the supply side that one request of this size to this model goes through. */
export function supplyWindows(
  model: Model,
  candidate: Pick<Candidate, 'route' | 'credential'>,
  tokens: number,
): WindowDemand[] {
  const windows: WindowDemand[] = []
  addModelWindows(windows, model, tokens)
  addCandidateWindows(windows, candidate, { model, tokens })
  return windows
}

function addModelWindows(windows: WindowDemand[], model: Model, tokens: number): void {
  if (isLimited(model)) addCapacity(windows, { owner: `model:${model.id}`, limits: model, tokens })
}

function addCandidateWindows(
  windows: WindowDemand[],
  { route: { route }, credential }: Pick<Candidate, 'route' | 'credential'>,
  { model, tokens }: { readonly model: Model; readonly tokens: number },
): void {
  if (isLimited(route)) {
    addCapacity(windows, { owner: `route:${route.supplierId}:${model.id}`, limits: route, tokens })
  }
  if (isLimited(credential)) addCapacity(windows, credentialCapacity(credential, tokens))
}

/** Most have no limit, and are to cost a request nothing, not even the name of a window. */
function isLimited({ rpm, tpm }: RateLimits): boolean {
  return rpm !== null || tpm !== null
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
