import type { FailureKind } from '../../errors/supplier-failure.ts'
import type { Format } from '../../vocabulary/supply.ts'

/** Questions about suppliers that only the suppliers themselves can answer. */
export interface Diagnostics {
  /** Calls every supplier once with each of its credentials. */
  examineSupply(): Promise<readonly Finding[]>
  /**
   * Compares what is configured with the supplier's own list. Throws a GatewayError: `not_found` for an unknown
   * supplier, `invalid_request` when it cannot be asked, `provider_error` when it does not answer.
   */
  compareModels(supplierId: string): Promise<ModelComparison>
}

/**
 * What became of one visit.
 * - `works`: it answered in its format.
 * - `skipped`: it was not called, and that is as somebody wants it.
 * - `not-configured`: it could not be called, because something is missing.
 * - else why it did not answer.
 */
export type FindingResult = 'works' | 'skipped' | 'not-configured' | FailureKind

export interface Finding {
  readonly supplierId: string
  /** null when the finding is about the supplier as a whole. */
  readonly credential: ShownCredential | null
  /** The public id of the model that was asked; null when none was. */
  readonly modelId: string | null
  readonly format: Format | null
  readonly result: FindingResult
  /** HTTP status; null when none was received. */
  readonly status: number | null
  readonly latencyMs: number | null
  /** What to do about it, in a sentence without secrets; empty when there is nothing to do. */
  readonly hint: string
}

/** As much of a credential as people need to tell it from others. */
export interface ShownCredential {
  readonly id: string
  readonly label: string | null
  readonly lastFour: string | null
}

/** All are names the supplier uses. */
export interface ModelComparison {
  readonly supplierId: string
  /** What the supplier lists. */
  readonly offered: readonly string[]
  /** What routes to this supplier ask for. */
  readonly configured: readonly string[]
  /** What the built-in catalog knows of a vendor of this name. */
  readonly catalog: readonly string[]
  /** Configured and not offered: requests for these will fail. */
  readonly missing: readonly string[]
  /** Offered and not configured: no client can ask for these. */
  readonly unknown: readonly string[]
}
