import type { Protocol } from '../../../../protocols/protocol.ts'
import type { Candidate } from '../../../../rules/routing/candidate.ts'
import type { Admission } from '../../../admission/admission.ts'
import type { CallPlan, PreparedReply } from '../../../delivery/call-plan.ts'
import type { Gateway } from '../../../gateway.ts'
import type { PreparedText } from '../prepared-text.ts'

/** The plan of a lane between text formats. */
export interface LanePlan extends CallPlan {
  readonly supplierProtocol: Protocol
  readonly body: string
  readWhole(replies: readonly string[]): WholeReply | null
}

/** A whole reply whose body is known. */
export interface WholeReply extends PreparedReply {
  readonly body: string
}

/** What a lane is planned from. */
export interface LaneParts {
  readonly admission: Admission<PreparedText>
  readonly candidate: Candidate
  readonly gateway: Gateway
}

/** The plan with some members replaced. The answer is read as before, whatever kind of object the plan is. */
export function changedPlan(
  plan: LanePlan,
  changes: Partial<Pick<LanePlan, 'body' | 'betas' | 'dropped' | 'mend' | 'noteAnswered'>>,
): LanePlan {
  return {
    supplierProtocol: plan.supplierProtocol,
    body: plan.body,
    pieces: changes.body === undefined ? plan.pieces : undefined,
    isStreamed: plan.isStreamed,
    copies: plan.copies,
    dropped: plan.dropped,
    ...(plan.betas !== undefined && { betas: plan.betas }),
    openTap: () => plan.openTap(),
    readWhole: (replies) => plan.readWhole(replies),
    ...changes,
  }
}
