import { GatewayError } from '../../errors/gateway-error.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import { eligibleRoutes } from '../../rules/routing/eligible-routes.ts'
import type { Model } from '../../vocabulary/supply.ts'
import type { Admission } from '../admission/admission.ts'
import { capacityWindows } from '../admission/capacity.ts'
import { stepsOf } from '../admission/prepared-request.ts'
import type { Gateway } from '../gateway.ts'
import type { WindowDemand } from '../ports/admissions.ts'
import type { AttemptFailures } from './candidate-queue.ts'
import { failureError, isWorthAnotherTry, supplierRateLimited } from './supplier-failures.ts'

export interface NoAnswerParts {
  readonly admission: Admission
  readonly gateway: Gateway
}

export function outcomeOf({ failure, planError }: AttemptFailures): 'supplier_failed' | 'refused' {
  if (failure === null) return planError === null ? 'supplier_failed' : 'refused'
  return isWorthAnotherTry(failure) ? 'supplier_failed' : 'refused'
}

/** The error for the client when no candidate has answered. */
export function noAnswer(failures: AttemptFailures, parts: NoAnswerParts): GatewayError {
  const { failure, planError } = failures
  if (failure !== null && failure.kind !== 'rate-limited') return failureError(failure)
  const waitSeconds = failure === null ? failures.freeInSeconds : waitAfterRefusals(failures, parts)
  if (Number.isFinite(waitSeconds)) return supplierRateLimited(waitSeconds, alternatives(parts))
  if (planError !== null) return planError
  return new GatewayError('provider_overloaded', 'No supplier of this model can be used right now.')
}

/** Until the first candidate has capacity again. One that was not tried may have some now. */
function waitAfterRefusals(failures: AttemptFailures, { admission, gateway }: NoAnswerParts): number {
  if (failures.hasUntried) return 1
  const waits = stepsOf(admission.prepared.target).map(
    ({ routes, model }) => gateway.router.freeInSeconds(routes, model.id) ?? 1,
  )
  return Math.min(failures.freeInSeconds, ...waits)
}

const MAX_ALTERNATIVES = 3
// A refusal must stay cheap, however large the catalog is.
const MAX_MODELS_CHECKED = 200

/** Other models of the same kind that this key could use at this moment. */
function alternatives({ admission, gateway }: NoAnswerParts): string[] {
  const { caller, target } = admission.prepared
  const found: string[] = []
  let lookedAt = 0
  for (const model of caller.snapshot.supply.models.values()) {
    if (found.length === MAX_ALTERNATIVES || lookedAt === MAX_MODELS_CHECKED) break
    if (model.id === target.model.id || !isSameKind(model, target.model)) continue
    lookedAt += 1
    if (isUsableNow(model, { admission, gateway })) found.push(model.id)
  }
  return found
}

function isSameKind(one: Model, other: Model): boolean {
  return one.kinds.some((kind) => other.kinds.includes(kind))
}

function isUsableNow(model: Model, { admission, gateway }: NoAnswerParts): boolean {
  const { caller } = admission.prepared
  const routes = eligibleRoutes(caller.snapshot.supply, caller.key, model)
  const hasCapacity = (candidate: Pick<Candidate, 'route' | 'credential'>) => {
    const demand = { model, tokens: admission.tokens, copies: 1, isFirst: true }
    const windows = capacityWindows(candidate, demand)
    return gateway.admissions
      .read(windows)
      .every(({ remaining }, index) => remaining >= amountOf(windows[index]))
  }
  return gateway.router
    .working(routes, model.id)
    .some((route) => route.credentials.some((credential) => hasCapacity({ route, credential })))
}

function amountOf(window: WindowDemand | undefined): number {
  return window?.amount ?? 0
}
