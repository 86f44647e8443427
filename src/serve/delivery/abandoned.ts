import { owedForAbandoned } from '../../rules/ledger/abort.ts'
import { abortPolicyOf } from '../../suppliers/index.ts'
import { type Admission, NOTHING_DELIVERED, type RequestEnd } from '../admission/admission.ts'
import { priceableTokens } from '../admission/prepared-request.ts'
import type { Attempted } from './attempt.ts'
import type { AbandonedWork } from './call-result.ts'
import type { ReadyCandidate } from './candidate-queue.ts'

const NOTHING_OWED: RequestEnd = { outcome: 'client_left', ...NOTHING_DELIVERED, served: null }

/**
 * The end of a request whose client left before the first byte, during this attempt. When another was under way as well,
 * the one that began first is charged if anything is owed for it, else the other: nobody pays for two candidates.
 */
export function abandonedEnd({ result, served, rival }: Attempted, admission: Admission): RequestEnd {
  const end = result.type === 'client-left' ? endOf(result.work, served, admission) : null
  if (end !== null) return end
  return rival === undefined ? NOTHING_OWED : abandonedEnd(rival, admission)
}

/** null when nothing is owed. */
function endOf(
  { calls, reported, facts }: AbandonedWork,
  { candidate, plan }: ReadyCandidate,
  admission: Admission,
): RequestEnd | null {
  const served = { candidate, format: plan.supplierProtocol.name }
  // The supplier has done all its work, and will charge it whatever it charges for aborts.
  if (facts !== null) {
    const { usage: reported, ...produced } = facts
    return { outcome: 'client_left', hasDelivered: true, reported, ...produced, served }
  }
  const owed = owedForAbandoned({
    policy: abortPolicyOf(candidate.route.supplier),
    calls,
    reported,
    estimatedPromptTokens: priceableTokens(admission.prepared),
    units: admission.prepared.request.facts.units,
    known: admission.prepared.owedIfAbandoned,
  })
  return owed && { outcome: 'client_left', ...NOTHING_DELIVERED, owed, served }
}
