import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Alias } from '../../vocabulary/records/alias.ts'
import type { MarkUp } from '../../vocabulary/records/mark-up.ts'
import { indexTiers, type Tier } from '../../vocabulary/records/tier.ts'
import type { Wildcard } from '../../vocabulary/records/wildcard.ts'
import type { KnownSecret, MarkUpIndex, Snapshot, Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Model, Route, Supplier } from '../../vocabulary/supply.ts'
import { indexAliases, indexWildcards } from './names.ts'

/** All rows about supply, in any order. */
export interface SupplyRows {
  readonly suppliers: readonly Supplier[]
  readonly credentials: readonly Credential[]
  readonly models: readonly Model[]
  readonly routes: readonly Route[]
}

export interface ConfigurationRows extends SupplyRows {
  readonly version: number
  readonly accounts: readonly Account[]
  readonly keys: readonly ApiKey[]
  /** When absent: only the built-in ones. */
  readonly tiers?: readonly Tier[]
  /** These, when absent: none. */
  readonly markUps?: readonly MarkUp[]
  readonly aliases?: readonly Alias[]
  readonly wildcards?: readonly Wildcard[]
}

export function buildSnapshot(rows: ConfigurationRows): Snapshot {
  const secretsByFingerprint = new Map<string, KnownSecret>()
  for (const key of rows.keys) addSecrets(secretsByFingerprint, key)
  return {
    version: rows.version,
    accounts: mapById(rows.accounts),
    keys: mapById(rows.keys),
    secretsByFingerprint,
    supply: buildSupply(rows),
    tiers: indexTiers(rows.tiers ?? []),
    markUps: indexMarkUps(rows.markUps ?? []),
    aliases: indexAliases(rows.aliases ?? []),
    wildcards: indexWildcards(rows.wildcards ?? []),
  }
}

/** The snapshot with this account added or replaced. */
export function withAccount(snapshot: Snapshot, account: Account): Snapshot {
  return { ...snapshot, accounts: new Map(snapshot.accounts).set(account.id, account) }
}

/** The snapshot with this key added or replaced; its former secrets are removed. */
export function withKey(snapshot: Snapshot, key: ApiKey): Snapshot {
  const secretsByFingerprint = new Map(snapshot.secretsByFingerprint)
  for (const secret of snapshot.keys.get(key.id)?.secrets ?? []) {
    secretsByFingerprint.delete(secret.fingerprint)
  }
  addSecrets(secretsByFingerprint, key)
  return { ...snapshot, keys: new Map(snapshot.keys).set(key.id, key), secretsByFingerprint }
}

/** The snapshot with all rows of the given kinds replaced; kinds not given stay as they are. */
export function withSupply(snapshot: Snapshot, rows: Partial<SupplyRows>): Snapshot {
  return { ...snapshot, supply: buildSupply({ ...listSupply(snapshot.supply), ...rows }) }
}

/** The snapshot with these tiers, and the built-in ones that they do not replace. */
export function withTiers(snapshot: Snapshot, stored: readonly Tier[]): Snapshot {
  return { ...snapshot, tiers: indexTiers(stored) }
}

/** The snapshot with exactly these mark-ups. */
export function withMarkUps(snapshot: Snapshot, markUps: readonly MarkUp[]): Snapshot {
  return { ...snapshot, markUps: indexMarkUps(markUps) }
}

/** The snapshot with exactly these aliases. */
export function withAliases(snapshot: Snapshot, aliases: readonly Alias[]): Snapshot {
  return { ...snapshot, aliases: indexAliases(aliases) }
}

/** The snapshot with exactly these wildcards. */
export function withWildcards(snapshot: Snapshot, wildcards: readonly Wildcard[]): Snapshot {
  return { ...snapshot, wildcards: indexWildcards(wildcards) }
}

/** The rows a supply was built from. */
export function listSupply(supply: Supply): SupplyRows {
  return {
    suppliers: [...supply.suppliers.values()],
    credentials: [...supply.credentialsBySupplier.values()].flat(),
    models: [...supply.models.values()],
    routes: [...supply.routesByModel.values()].flat(),
  }
}

function buildSupply(rows: SupplyRows): Supply {
  const credentials = rows.credentials.toSorted((a, b) => compareText(a.id, b.id))
  const routes = rows.routes.toSorted(
    (a, b) => a.priority - b.priority || compareText(a.supplierId, b.supplierId),
  )
  return {
    suppliers: mapById(rows.suppliers),
    credentialsBySupplier: Map.groupBy(credentials, (credential) => credential.supplierId),
    models: mapById(rows.models),
    routesByModel: Map.groupBy(routes, (route) => route.modelId),
  }
}

function indexMarkUps(markUps: readonly MarkUp[]): MarkUpIndex | null {
  if (markUps.length === 0) return null
  const index = { account: new Map(), tier: new Map(), model: new Map() }
  for (const { appliesTo, name, basisPoints } of markUps) index[appliesTo].set(name, basisPoints)
  return index
}

function addSecrets(secretsByFingerprint: Map<string, KnownSecret>, key: ApiKey): void {
  for (const { fingerprint, expiresAtMs } of key.secrets) {
    secretsByFingerprint.set(fingerprint, { key, expiresAtMs })
  }
}

function mapById<T extends { readonly id: string }>(rows: readonly T[]): Map<string, T> {
  return new Map(rows.map((row) => [row.id, row]))
}

// Plain code-unit order: the same on every machine, whatever its locale.
function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
