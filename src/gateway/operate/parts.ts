import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Credential, Format, SupplierTypeName } from '../../vocabulary/supply.ts'
import type { LiveConfiguration } from '../ports/configuration.ts'
import type { Money } from '../ports/money.ts'
import type { Storage } from '../ports/storage.ts'

export interface RandomSource {
  /** A fresh API key secret: `sk-` and 48 characters of A-Z, a-z and 0-9. */
  secret(): string
  /** A fresh id, `<prefix>_…`. */
  id(prefix: string): string
}

/** What is left of a credential's own windows; null when it has no such limit. */
export interface RemainingCapacity {
  readonly requests: number | null
  readonly tokens: number | null
}

export interface Capacity {
  remaining(credential: Credential): RemainingCapacity
}

/** A supplier type this version can call, and the formats it can be addressed in. */
export interface CallableType {
  readonly name: SupplierTypeName
  readonly formats: readonly Format[]
}

export interface OperationParts {
  readonly storage: Storage
  /** Resolves when everything settled so far can be read from the storage, or cannot be for now. */
  readonly catchUp: () => Promise<void>
  readonly configuration: LiveConfiguration
  readonly money: Money
  readonly capacity: Capacity
  readonly clock: Clock
  readonly secrets: Pick<SecretKeeper, 'fingerprint'>
  readonly random: RandomSource
  readonly supplierTypes: readonly CallableType[]
  /** The formats this version speaks to suppliers. */
  readonly formats: readonly Format[]
}
