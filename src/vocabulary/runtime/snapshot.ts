import type { Account } from '../account.ts'
import type { ApiKey } from '../api-key.ts'
import type { Credential, Model, Route, Supplier } from '../supply.ts'

/** Everything an operator configures about supply, by id. */
export interface Supply {
  readonly suppliers: ReadonlyMap<string, Supplier>
  readonly credentialsBySupplier: ReadonlyMap<string, readonly Credential[]>
  readonly models: ReadonlyMap<string, Model>
  readonly routesByModel: ReadonlyMap<string, readonly Route[]>
}

export interface KnownSecret {
  readonly key: ApiKey
  readonly expiresAtMs: number | null
}

/** Basis points on top of prices, by the id or name of what they are for. */
export interface MarkUpIndex {
  readonly account: ReadonlyMap<string, number>
  readonly tier: ReadonlyMap<string, number>
  readonly model: ReadonlyMap<string, number>
}

/**
 * All configuration that the request path reads, at one moment. It is immutable: a change creates a new one, and a request
 * uses the same snapshot until it ends.
 */
export interface Snapshot {
  /** Grows with every stored change. */
  readonly version: number
  readonly accounts: ReadonlyMap<string, Account>
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly secretsByFingerprint: ReadonlyMap<string, KnownSecret>
  readonly supply: Supply
  /** null when there are none. */
  readonly markUps: MarkUpIndex | null
}
