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

/**
 * All configuration the request path reads, as of one moment. It is never changed: a change makes a new one,
 * and a request that took a snapshot sees the same world until it ends.
 */
export interface Snapshot {
  /** Grows with every change that is stored; of two snapshots the one with the greater number is newer. */
  readonly version: number
  readonly accounts: ReadonlyMap<string, Account>
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly secretsByFingerprint: ReadonlyMap<string, KnownSecret>
  readonly supply: Supply
}
