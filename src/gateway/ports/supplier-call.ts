import type { PiecedBody } from '../../wire/pieced-body.ts'

export interface SupplierCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | PiecedBody
  /** How long a new connection may take. */
  readonly connectMs: number
  readonly signal: AbortSignal
}

/** Sends one request to a supplier. Resolves with its status and headers; rejects when it cannot be reached. */
export type CallSupplier = (call: SupplierCall) => Promise<Response>
