import type { Format, SupplierTypeName } from '../vocabulary/supply.ts'

export interface CallTarget {
  readonly url: string
  /** Lower-case names; carries the credential. */
  readonly headers: Readonly<Record<string, string>>
}

export interface CallQuery {
  readonly format: Format
  readonly baseUrl: string
  readonly secret: string
  readonly upstreamModel: string
  readonly stream: boolean
}

/** How a kind of supplier is addressed: where a format lives under its base URL and how a credential is carried. */
export interface SupplierType {
  readonly name: SupplierTypeName
  /** The formats this type can be addressed in. */
  readonly formats: readonly Format[]
  target(query: CallQuery): CallTarget
}
