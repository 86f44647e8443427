import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { Protocol } from '../../../../protocols/protocol.ts'
import type { RefusedParameter } from '../../../../rules/routing/learned-parameters.ts'
import type { Quirks } from '../../../../suppliers/supplier-type.ts'
import { editMembers, isSameName, type MemberEdits, readMember } from '../../../../wire/edit-members.ts'
import { changedPlan, type LaneParts, type LanePlan } from './lane-plan.ts'

/** What a supplier is known to reject. */
export interface KnownRefusals {
  readonly quirks: Quirks | null
  readonly learned: readonly RefusedParameter[]
  readonly isStrict: boolean
}

export function withoutRefused(
  plan: LanePlan,
  { quirks, learned, isStrict: strict }: KnownRefusals,
): LanePlan {
  const fitted = quirks === null ? plan : fitToQuirks(plan, quirks, strict)
  // A strict client gets the supplier's own error.
  return learned.length === 0 || strict ? fitted : without(fitted, namesIn(fitted, learned))
}

/** The plan in the supplier's own spelling, without parameters that it does not support. */
export function fitToQuirks(plan: LanePlan, quirks: Quirks, strict: boolean): LanePlan {
  const removed = [...quirks.ignores, ...quirks.refuses]
  const edited = editMembers(plan.body, { removed, renamed: quirks.renames })
  const refused = edited.removed.filter((name) => quirks.refuses.includes(name))
  if (strict && refused.length > 0) throw cannotTake(refused)
  return changed(plan, { text: edited.text, removed: refused })
}

/** The parameters of this request that the supplier would reject. */
function namesIn({ body }: LanePlan, refusals: readonly RefusedParameter[]): string[] {
  const isMet = ({ name, value }: RefusedParameter) => value === null || value === readMember(body, name)
  return refusals.filter(isMet).map(({ name }) => name)
}

/**
 * Plans the same request without the parameter that the candidate has rejected. null when the error names none that may
 * be left out, or when the request did not contain it.
 *
 * Once the repaired request is answered, the rejection is remembered for all users of the model, for the value or the
 * parameter that it was about: otherwise one client could take a parameter away from everyone.
 */
export function planWithoutRefused(
  failure: SupplierFailure,
  refused: LanePlan,
  { candidate, gateway }: LaneParts,
): LanePlan | null {
  const name = refusedParameter(failure, refused.supplierProtocol)
  if (name === null) return null
  const plan = without(refused, [name])
  if (plan.body === refused.body) return null
  const { supplier, route } = candidate.route
  const refusal = refusalOf(failure, name, refused)
  if (refusal === null) return plan
  const noteAnswered = () => gateway.learned.note(supplier.id, route.upstreamModel, refusal)
  return changedPlan(plan, { noteAnswered })
}

/** null when the error was about this request only. */
function refusalOf(
  { refusedScope }: SupplierFailure,
  name: string,
  { body }: LanePlan,
): RefusedParameter | null {
  switch (refusedScope) {
    case 'parameter':
      return { name, value: null }
    case 'value':
      return { name, value: readMember(body, name) }
    default:
      return null
  }
}

/** The parameter that the supplier rejects; null when the request would mean something else without it. */
export function refusedParameter({ refusedParam }: SupplierFailure, { supplier }: Protocol): string | null {
  if (refusedParam === undefined) return null
  const { strippable, respelled } = supplier.parameters
  return [...strippable, ...Object.keys(respelled)].find((name) => isSameName(name, refusedParam)) ?? null
}

function without(plan: LanePlan, names: readonly string[]): LanePlan {
  const { strippable, respelled } = plan.supplierProtocol.supplier.parameters
  const edits: MemberEdits = {
    removed: names.filter((name) => strippable.has(name)),
    renamed: Object.fromEntries(Object.entries(respelled).filter(([name]) => names.includes(name))),
  }
  return changed(plan, editMembers(plan.body, edits))
}

function changed(plan: LanePlan, { text, removed }: { text: string; removed: readonly string[] }): LanePlan {
  if (text === plan.body) return plan
  const dropped = removed.filter((name) => !plan.dropped.includes(name))
  const changes = { body: text, dropped: [...plan.dropped, ...dropped] }
  const rules = plan.supplierProtocol.supplier.betas
  if (rules === undefined || plan.betas === undefined) return changedPlan(plan, changes)
  return changedPlan(plan, { ...changes, betas: rules.useful(plan.betas, removed) })
}

function cannotTake(names: readonly string[]): GatewayError {
  const [param = ''] = names
  const message = `The supplier of this model cannot take: ${names.join(', ')}.`
  return new GatewayError('unsupported_parameter', message, { param })
}
