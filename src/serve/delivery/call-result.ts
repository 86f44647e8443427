import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { StreamTap } from '../../protocols/protocol.ts'
import type { SupplierRemaining } from '../../rules/routing/router.ts'
import type { ByteReader } from '../../wire/http-answer.ts'
import type { PreparedReply } from '../families/text/lanes/lane-plan.ts'

/** A supplier's answer that has begun to arrive: the first bytes have been seen and are good. */
export interface AnswerStream {
  readonly tap: StreamTap
  readonly reader: Pick<ByteReader, 'read'>
  /** What the tap has let through so far. */
  readonly first: readonly Uint8Array[]
  /** Ends the supplier's work at once. */
  abort(): void
}

/** What became of one call to a supplier. Nothing has been sent to the client yet in any of these. */
export type CallResult = Heard &
  (
    | (PreparedReply & { readonly type: 'whole' })
    | { readonly type: 'stream'; readonly stream: AnswerStream }
    | { readonly type: 'failed'; readonly failure: SupplierFailure }
    | { readonly type: 'client-left' }
  )

interface Heard {
  /** What the supplier said is left for the credential; null when it did not say. */
  readonly remaining: SupplierRemaining | null
}
