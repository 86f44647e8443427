import type { Format, SupplierTypeName } from '../vocabulary/supply.ts'

export interface CallTarget {
  readonly url: string
  /** Lower-case names; carries the credential. */
  readonly headers: Readonly<Record<string, string>>
}

/** What is wanted of the supplier: an answer, or the length of a prompt. */
export type SupplierOperation = 'generate' | 'count-tokens'

export interface CallQuery {
  readonly format: Format
  /** As the vendor's own SDK takes it; a slash at its end makes no difference. */
  readonly baseUrl: string
  readonly secret: string
  readonly upstreamModel: string
  readonly stream: boolean
  /** `generate` when absent. */
  readonly operation?: SupplierOperation
}

/** How a kind of supplier is addressed: where a format lives under its base URL and how a credential is carried. */
export interface SupplierType {
  readonly name: SupplierTypeName
  /** The formats this type can be addressed in. */
  readonly formats: readonly Format[]
  /** Throws when the type has no address for the format or the operation. */
  target(query: CallQuery): CallTarget
}

export function trimSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** An address nobody configured wrongly can ask for: routes are only made for formats their supplier type has. */
export function noAddress({ format, operation }: CallQuery): Error {
  return new Error(`no address for ${operation ?? 'generate'} in ${format}`)
}
