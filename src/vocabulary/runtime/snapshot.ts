import type { Account } from '../account.ts'
import type { ApiKey } from '../api-key.ts'
import type { Alias } from '../records/alias.ts'
import type { TierTable } from '../records/tier.ts'
import type { Wildcard } from '../records/wildcard.ts'
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

/** Aliases by the name that clients ask for. */
export interface AliasIndex {
  readonly general: ReadonlyMap<string, Alias>
  /** Those of one account, by its id. */
  readonly ofAccount: ReadonlyMap<string, ReadonlyMap<string, Alias>>
}

/** Wildcards by the beginning of the names they are for. Those with the same one are in order of priority. */
export interface WildcardIndex {
  readonly byPrefix: ReadonlyMap<string, readonly Wildcard[]>
  /** How long the beginnings are, longest first. */
  readonly lengths: readonly number[]
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
  readonly tiers: TierTable
  /** null when there are none. */
  readonly markUps: MarkUpIndex | null
  /** null when there are none. */
  readonly aliases: AliasIndex | null
  /** null when there are none. */
  readonly wildcards: WildcardIndex | null
}
