import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { Protocol, ReplyFacts, StreamTap } from '../../protocols/protocol.ts'
import type { SupplierOperation } from '../../suppliers/supplier-type.ts'
import type { MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import type { PiecedBody, TextPieces } from '../../wire/pieced-body.ts'

/** What to send to a supplier and how to read its answer. */
export interface CallPlan {
  /** The format the supplier speaks. */
  readonly supplierProtocol: Pick<Protocol, 'name' | 'decodeError'>
  readonly body: string | PiecedBody
  /** The same text as `body`, when that is long and joined from these. */
  readonly pieces?: TextPieces | undefined
  /** `generate` when absent. */
  readonly operation?: SupplierOperation
  /** Whether the supplier is asked for a stream. */
  readonly isStreamed: boolean
  /** How many times to send the request, for formats that return one answer at a time. */
  readonly copies: number
  /** What to send instead of `body`, one each, for requests that are sent in parts. `copies` is their number. */
  readonly bodies?: readonly string[]
  /** The longest whole reply to accept, if it may be longer than a text. */
  readonly maxReplyBytes?: number
  /** Whether a response of this content type is to be delivered as it arrives; only events are when absent. */
  isStream?(contentType: string): boolean
  /** `contentType` is that of the supplier's response. */
  openTap(contentType?: string): StreamTap
  /** Reads the supplier's whole replies, one for each copy. The signal aborts what has to be fetched for that. */
  readWhole(
    replies: readonly string[],
    patience: { readonly signal: AbortSignal },
  ): MaybePromise<WholeReading>
  /** The beta features to ask the supplier for; none when absent. */
  readonly betas?: readonly string[]
  /** Client parameters the supplier's format cannot express. */
  readonly dropped: readonly string[]
  /** Plans a repaired request when the supplier's error says what to change; null when it does not. */
  mend?(failure: SupplierFailure): Promise<CallPlan | null>
  /** Called when the supplier has accepted a repaired request, which shows what was wrong with the first one. */
  noteAnswered?(): void
}

/**
 * What a supplier's whole replies say; null when one is not a reply of its format. Only the facts when something they
 * refer to could not be fetched because that was aborted: the supplier has done its work by then.
 */
export type WholeReading =
  | PreparedReply
  | { readonly failure: SupplierFailure }
  | { readonly unfetched: ReplyFacts }
  | null

/** A whole reply for the client. */
export interface PreparedReply {
  /** A function when making the body leaves something behind; it is called once the reply is sure to be delivered. */
  readonly body: string | (() => Promise<string>)
  readonly facts: ReplyFacts
  /** JSON when absent. */
  readonly contentType?: string
  /** True for a body that is sent in pieces, because sending it at once would hold up other requests. */
  readonly isLong?: boolean
  /** The reply as an object of the client's format, for formats whose replies are stored. */
  readonly reply?: unknown
}

/** Whether the client prefers an error to a request with parameters left out. */
export function isStrict({ headers }: { readonly headers: { get(name: string): string | null } }): boolean {
  return headers.get('x-gateway-strict') === 'true'
}
