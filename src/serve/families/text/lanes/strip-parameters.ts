import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { Protocol } from '../../../../protocols/protocol.ts'
import type { RefusedParameter } from '../../../../rules/routing/learned-parameters.ts'
import { quirksOf } from '../../../../suppliers/index.ts'
import type { Quirks } from '../../../../suppliers/supplier-type.ts'
import { editMembers, isSameName, type MemberEdits, readMember } from '../../../../wire/edit-members.ts'
import type { Exchange } from '../../../ports/exchange.ts'
import { changedPlan, type LaneParts, type LanePlan } from './lane-plan.ts'

/** Whether the client would rather be refused than have anything left out. */
export function isStrict({ headers }: Pick<Exchange, 'headers'>): boolean {
  return headers.get('x-gateway-strict') === 'true'
}

/** The plan without what the supplier is known to refuse, be it by its quirks or because its model has said so. */
export function leaveOutRefused(plan: LanePlan, { admission, candidate, gateway }: LaneParts): LanePlan {
  const { supplier, route } = candidate.route
  const quirks = quirksOf(supplier, plan.supplierProtocol.name)
  const learned = gateway.learned.of(supplier.id, route.upstreamModel)
  if (quirks === null && learned.length === 0) return plan
  const strict = isStrict(admission.prepared.exchange)
  const fitted = quirks === null ? plan : fitToQuirks(plan, quirks, strict)
  // Whoever wants nothing left out is to hear the supplier's own complaint.
  return learned.length === 0 || strict ? fitted : without(fitted, namesIn(fitted, learned))
}

/** The plan in a supplier's own spelling, without what it does not take. */
export function fitToQuirks(plan: LanePlan, quirks: Quirks, strict: boolean): LanePlan {
  const removed = [...quirks.ignores, ...quirks.refuses]
  const edited = editMembers(plan.body, { removed, renamed: quirks.renames })
  const refused = edited.removed.filter((name) => quirks.refuses.includes(name))
  if (strict && refused.length > 0) throw cannotTake(refused)
  return changed(plan, { text: edited.text, removed: refused })
}

/** Those of the refusals that would meet this request. */
function namesIn({ body }: LanePlan, refusals: readonly RefusedParameter[]): string[] {
  const isMet = ({ name, value }: RefusedParameter) => value === null || value === readMember(body, name)
  return refusals.filter(isMet).map(({ name }) => name)
}

/**
 * What to send to a candidate that has refused a parameter: the same without it. null when the complaint names none that
 * may be left out, when it was not in what was sent, or when the client wants nothing left out.
 *
 * The refusal is remembered for all who use the model once the answer has shown that leaving it out was the cure, and
 * only as far as it went: otherwise one client could take a parameter away from everybody.
 */
export function planWithoutRefused(
  failure: SupplierFailure,
  refused: LanePlan,
  { admission, candidate, gateway }: LaneParts,
): LanePlan | null {
  if (isStrict(admission.prepared.exchange)) return null
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

/** null when it was about this request only. */
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

/** The parameter a supplier complains of, when the answer would be to the same question without it. */
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
  return changedPlan(plan, { body: text, dropped: [...plan.dropped, ...dropped] })
}

function cannotTake(names: readonly string[]): GatewayError {
  const [param = ''] = names
  const message = `The supplier of this model cannot take: ${names.join(', ')}.`
  return new GatewayError('unsupported_parameter', message, { param })
}
