import type { Price } from '../../vocabulary/price.ts'
import type { Alias } from '../../vocabulary/records/alias.ts'
import type { Wildcard } from '../../vocabulary/records/wildcard.ts'
import { AgingMap } from '../../vocabulary/runtime/aging-map.ts'
import type { AliasIndex, Snapshot, Supply, WildcardIndex } from '../../vocabulary/runtime/snapshot.ts'
import type { Model, Route, Supplier } from '../../vocabulary/supply.ts'

/** What is known of models that have no record. */
export interface ModelCatalog {
  /** null for a model that it does not know. */
  factsOf(id: string): ModelFacts | null
  /** null when the price of the model at this supplier is unknown. */
  priceOf(supplier: Supplier, upstreamModel: string): Price | null
  /** The names of models at this supplier. */
  modelsAt(supplier: Supplier): readonly string[]
}

export type ModelFacts = Omit<Model, 'id' | 'rpm' | 'tpm' | 'createdAtMs'>

/** A model without a record, and its routes. */
export interface WildModel {
  readonly model: Model
  readonly routes: readonly Route[]
}

export function indexAliases(aliases: readonly Alias[]): AliasIndex | null {
  if (aliases.length === 0) return null
  const general = new Map<string, Alias>()
  const ofAccount = new Map<string, Map<string, Alias>>()
  for (const alias of aliases) {
    if (alias.accountId === null) {
      general.set(alias.name, alias)
      continue
    }
    const own = ofAccount.get(alias.accountId) ?? new Map<string, Alias>()
    ofAccount.set(alias.accountId, own.set(alias.name, alias))
  }
  return { general, ofAccount }
}

export function indexWildcards(wildcards: readonly Wildcard[]): WildcardIndex | null {
  if (wildcards.length === 0) return null
  const sorted = wildcards.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))
  const byPrefix = Map.groupBy(sorted, ({ pattern }) => pattern.slice(0, -1))
  const lengths = new Set([...byPrefix.keys()].map(({ length }) => length))
  return { byPrefix, lengths: [...lengths].sort((a, b) => b - a) }
}

/** The alias of this name: the account's own, else the general one. */
export function findAlias({ general, ofAccount }: AliasIndex, accountId: string, name: string): Alias | null {
  return ofAccount.get(accountId)?.get(name) ?? general.get(name) ?? null
}

/** Every alias that an account can ask for. */
export function aliasesOf({ general, ofAccount }: AliasIndex, accountId: string): Alias[] {
  return [...new Map([...general, ...(ofAccount.get(accountId) ?? [])]).values()]
}

/** The wildcards for a name, in order of priority: those with the longest beginning that it has. */
export function matchWildcards({ byPrefix, lengths }: WildcardIndex, name: string): readonly Wildcard[] {
  for (const length of lengths) {
    if (length >= name.length) continue
    const found = byPrefix.get(name.slice(0, length))
    if (found !== undefined) return found
  }
  return NONE
}

const NONE: readonly Wildcard[] = []

// Clients may ask for any name, so only so many are remembered.
const MAX_REMEMBERED = 1_000
const MAX_NAME_LENGTH = 200

interface Remembered {
  readonly wildcards: WildcardIndex
  readonly models: AgingMap<string, WildModel>
}

// A supply is immutable, so what is found in it stays right.
const remembered = new WeakMap<Supply, Remembered>()

interface WildQuery {
  readonly wildcards: WildcardIndex
  readonly supply: Supply
  readonly catalog: ModelCatalog
}

/** The model of this name that wildcards lead to, priced by the catalog, else by the wildcard; null when none matches. */
export function findWildModel(name: string, { wildcards, supply, catalog }: WildQuery): WildModel | null {
  let memory = remembered.get(supply)
  if (memory?.wildcards !== wildcards) {
    memory = { wildcards, models: new AgingMap() }
    remembered.set(supply, memory)
  }
  const known = memory.models.get(name)
  if (known !== undefined) return known
  const matching = name.length > MAX_NAME_LENGTH ? NONE : matchWildcards(wildcards, name)
  const usable = matching.filter(({ enabled }) => enabled)
  const [first] = usable
  if (first === undefined) return null
  const found = {
    model: describeModel(name, first, catalog),
    routes: usable.map((wildcard) => routeOf(name, wildcard, { supply, catalog })),
  }
  memory.models.set(name, found)
  if (memory.models.size > MAX_REMEMBERED && memory.models.oldest !== null)
    memory.models.delete(memory.models.oldest.key)
  return found
}

function describeModel(id: string, { kinds, supplierId }: Wildcard, catalog: ModelCatalog): Model {
  const facts = catalog.factsOf(id) ?? {
    ownedBy: supplierId,
    displayName: id,
    description: '',
    kinds,
    inputTokenLimit: null,
    outputTokenLimit: null,
    capabilities: {},
  }
  return { id, ...facts, rpm: null, tpm: null, createdAtMs: 0 }
}

function routeOf(
  modelId: string,
  wildcard: Wildcard,
  { supply, catalog }: Omit<WildQuery, 'wildcards'>,
): Route {
  const { supplierId, priority, price: ownPrice } = wildcard
  const upstreamModel = upstreamNameOf(modelId, wildcard)
  const supplier = supply.suppliers.get(supplierId)
  const listed = supplier === undefined ? null : catalog.priceOf(supplier, upstreamModel)
  return {
    modelId,
    supplierId,
    upstreamModel,
    formats: null,
    price: listed ?? ownPrice,
    cost: null,
    priceSource: listed === null ? 'manual' : 'catalog',
    rpm: null,
    tpm: null,
    priority,
    enabled: true,
  }
}

function upstreamNameOf(name: string, { pattern, upstreamModel }: Wildcard): string {
  if (upstreamModel === null) return name
  const [before = '', after = ''] = upstreamModel.split('*')
  return `${before}${name.slice(pattern.length - 1)}${after}`
}

/** The names that a supplier's models have for clients of a wildcard; those that it does not lead to are left out. */
export function nameBehind(wildcard: Wildcard, upstreamModel: string): string | null {
  const prefix = wildcard.pattern.slice(0, -1)
  const [before = '', after = ''] = (wildcard.upstreamModel ?? wildcard.pattern).split('*')
  const rest = upstreamModel.length - before.length - after.length
  if (rest <= 0 || !upstreamModel.startsWith(before) || !upstreamModel.endsWith(after)) return null
  return `${prefix}${upstreamModel.slice(before.length, before.length + rest)}`
}

/** Every alias that is stored. */
export function listAliases(index: AliasIndex | null): Alias[] {
  if (index === null) return []
  return [index.general, ...index.ofAccount.values()].flatMap((byName) => [...byName.values()])
}

/** Every wildcard that is stored. */
export function listWildcards(index: WildcardIndex | null): Wildcard[] {
  return index === null ? [] : [...index.byPrefix.values()].flat()
}

/** The aliases that lead to a model. */
export function aliasesTo({ aliases }: Snapshot, modelId: string): Alias[] {
  return listAliases(aliases).filter(({ models }) => models.includes(modelId))
}

/** The wildcards that lead to a supplier. */
export function wildcardsTo({ wildcards }: Snapshot, supplierId: string): Wildcard[] {
  return listWildcards(wildcards).filter((wildcard) => wildcard.supplierId === supplierId)
}
