import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { Protocol, ReplyFacts, StreamTap } from '../../../../protocols/protocol.ts'
import type { Candidate } from '../../../../rules/routing/candidate.ts'
import type { SupplierOperation } from '../../../../suppliers/supplier-type.ts'
import type { PiecedBody } from '../../../../wire/pieced-body.ts'
import type { Admission } from '../../../admission/admission.ts'
import type { PreparedText } from '../../../admission/prepared-request.ts'
import type { Gateway } from '../../../gateway.ts'

/** A whole answer for the client. */
export interface PreparedReply {
  /** Made only once the answer is sure to be delivered, where making it leaves something behind. */
  readonly body: string | (() => Promise<string>)
  readonly facts: ReplyFacts
  /** The answer as an object of the client's format, for stories that keep it; absent when nobody asked. */
  readonly reply?: unknown
}

/** A whole answer that is written already. */
export interface WholeReply extends PreparedReply {
  readonly body: string
}

/** What a supplier's whole replies come to; null when one is not a reply of its format. */
export type WholeReading = PreparedReply | { readonly failure: SupplierFailure } | null

/** What to send to a supplier and how to read what comes back: the one thing in which ways of prepared differ. */
export interface CallPlan {
  /** The format the supplier speaks. */
  readonly supplierProtocol: Pick<Protocol, 'name' | 'decodeError'>
  readonly body: string | PiecedBody
  /** `generate` when absent. */
  readonly operation?: SupplierOperation
  /** Whether the supplier is asked for a stream. */
  readonly isStreamed: boolean
  /** How many times to ask, for formats that give one answer at a time. */
  readonly copies: number
  openTap(): StreamTap
  /** Reads the supplier's whole replies, one for each copy. What it has to fetch for that ends with the signal. */
  readWhole(
    replies: readonly string[],
    patience: { readonly signal: AbortSignal },
  ): WholeReading | Promise<WholeReading>
  /** Client parameters the supplier's format cannot express. */
  readonly dropped: readonly string[]
  /** What to send instead when the supplier's complaint says how to mend the request; null when it does not. */
  mend?(failure: SupplierFailure): Promise<CallPlan | null>
  /** To be called when the supplier has answered: for plans that show by it what was wrong with the one before. */
  noteAnswered?(): void
}

/** The plan of a lane between text formats. */
export interface LanePlan extends CallPlan {
  readonly supplierProtocol: Protocol
  readonly body: string
  readWhole(replies: readonly string[]): WholeReply | null
}

/** What a lane is planned from. */
export interface LaneParts {
  readonly admission: Admission<PreparedText>
  readonly candidate: Candidate
  readonly gateway: Gateway
}

/** The plan with something else about it; how its answer is read stays, whatever kind of object the plan is. */
export function changedPlan(
  plan: LanePlan,
  changes: Partial<Pick<LanePlan, 'body' | 'dropped' | 'mend' | 'noteAnswered'>>,
): LanePlan {
  return {
    supplierProtocol: plan.supplierProtocol,
    body: plan.body,
    isStreamed: plan.isStreamed,
    copies: plan.copies,
    dropped: plan.dropped,
    openTap: () => plan.openTap(),
    readWhole: (replies) => plan.readWhole(replies),
    ...changes,
  }
}

/** Text as JSON, or null: what a supplier sends is not always what it should be. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
