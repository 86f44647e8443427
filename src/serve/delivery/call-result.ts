import type { Usage } from '../../conversation/usage.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { ReplyFacts, StreamTap } from '../../protocols/protocol.ts'
import type { SupplierRemaining } from '../../rules/routing/router.ts'
import type { ByteReader } from '../../wire/http-answer.ts'
import type { PreparedReply } from './call-plan.ts'

/** A supplier's stream whose first usable bytes have arrived. */
export interface OpenStream {
  readonly tap: StreamTap
  readonly reader: Pick<ByteReader, 'read'>
  /** What the tap has let through so far. */
  readonly first: readonly Uint8Array[]
  /** Ends the supplier's work at once. */
  abort(): void
}

/** What a supplier had of a request when the client left before the first byte. */
export interface AbandonedWork {
  /** How many of the calls it had received as a whole. */
  readonly calls: number
  /** What it had reported before its first output; null when nothing. */
  readonly reported: Usage | null
  /** The facts of its replies, when they had arrived and only something they refer to was still to be fetched. */
  readonly facts: ReplyFacts | null
}

/** The result of one call to a supplier. Nothing has been sent to the client yet. */
export type CallResult = (
  | (PreparedReply & { readonly type: 'whole' })
  | { readonly type: 'stream'; readonly stream: OpenStream }
  | { readonly type: 'failed'; readonly failure: SupplierFailure }
  | { readonly type: 'client-left'; readonly work: AbandonedWork }
) & {
  /** What the supplier said is left for the credential; null when it did not say. */
  readonly remaining: SupplierRemaining | null
}
