import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Price, PriceVariant, Rates } from '../../vocabulary/price.ts'
import type { Snapshot, Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Format, Model, Route, Supplier } from '../../vocabulary/supply.ts'

/** A route that may be used: enabled, allowed to the key, with the credentials that can serve it now. */
export interface EligibleRoute {
  readonly route: Route
  /** What the account pays; zero over its own supplier, which bills it directly. */
  readonly price: Price
  /** What the supplier charges; null when that is the price. */
  readonly cost: Price | null
  readonly supplier: Supplier
  readonly formats: readonly Format[]
  readonly credentials: readonly Credential[]
}

const FREE: Price = {
  inputNanoPerMillion: 0n,
  outputNanoPerMillion: 0n,
  cacheReadNanoPerMillion: 0n,
  cacheWriteNanoPerMillion: 0n,
  imageNano: 0n,
}

/** Whether the account can see this supplier. Suppliers of other accounts are invisible to it. */
export function isVisible(supplier: Supplier, accountId: string): boolean {
  return supplier.source === 'shared' || supplier.accountId === accountId
}

/**
 * The routes of a model that a key may use, in order of priority. Routes over the account's own suppliers come first. If
 * there are any, shared routes follow only when the key has `sharedFallback`.
 */
export function eligibleRoutes(supply: Supply, key: ApiKey, model: Model): readonly EligibleRoute[] {
  if (key.modelAllowlist !== null && !isAllowed(key, model.id)) return NONE
  return usableRoutes(supply, key, { model })
}

/** A model, and its routes when they are not part of the supply. */
interface OfferedModel {
  readonly model: Pick<Model, 'id'>
  readonly routes?: readonly Route[]
}

/** The same whatever the key's allowlist says: the name that the client asked for is allowed, and leads here. */
export function usableRoutes(
  supply: Supply,
  key: ApiKey,
  { model, routes }: OfferedModel,
): readonly EligibleRoute[] {
  const { routePolicy } = key
  const index = indexOf(supply)
  const suppliers = index.ownSuppliers.get(key.accountId)
  const offered = routes ?? supply.routesByModel.get(model.id) ?? NO_ROUTES
  const own = suppliers === undefined ? NONE : ownRoutes(supply, { suppliers, key, offered })
  if (own.length > 0 && !key.sharedFallback) return own
  const ofAll =
    routes === undefined
      ? (index.sharedRoutes.get(model.id) ?? addSharedRoutes(index, supply, model))
      : sharedRoutes(supply, routes)
  const shared =
    routePolicy.mode === 'intelligent'
      ? ofAll
      : ofAll.filter(({ supplier }) => supplier.id === routePolicy.provider)
  return own.length === 0 ? shared : [...own, ...shared]
}

const NONE: readonly EligibleRoute[] = []
const NO_ROUTES: readonly Route[] = []

/** Whether a key can be served without a balance: over the account's own suppliers, or by a model with a free route. */
export function canServeUnpaid({ supply, aliases, wildcards }: NamedSupply, key: ApiKey): boolean {
  const { ownSuppliers, freeModels } = indexOf(supply)
  if (ownSuppliers.get(key.accountId)?.some((supplier) => isUsable(supplier, key))) return true
  // An alias that the key may use can lead to a model that it may not name.
  const isServed = (model: Model) =>
    (aliases === null ? eligibleRoutes(supply, key, model) : usableRoutes(supply, key, { model })).length > 0
  if (freeModels.some(isServed)) return true
  return wildcards !== null && [...wildcards.byPrefix.values()].flat().some(isFree)
}

type NamedSupply = Pick<Snapshot, 'supply' | 'aliases' | 'wildcards'>

/** Indexes the shared routes of a model that a key without a fixed supplier may use. */
function addSharedRoutes(
  index: SupplyIndex,
  supply: Supply,
  { id }: OfferedModel['model'],
): readonly EligibleRoute[] {
  const eligible = sharedRoutes(supply, supply.routesByModel.get(id) ?? NO_ROUTES)
  index.sharedRoutes.set(id, eligible)
  return eligible
}

function sharedRoutes(supply: Supply, routes: readonly Route[]): readonly EligibleRoute[] {
  const eligible: EligibleRoute[] = []
  for (const route of routes) {
    const supplier = supply.suppliers.get(route.supplierId)
    if (supplier?.source !== 'shared' || !supplier.enabled) continue
    // An unknown price must not become a price of zero.
    if (!route.enabled || route.price === null) continue
    eligible.push(makeEligible(supply, supplier, { route, price: route.price, cost: route.cost }))
  }
  return eligible
}

interface OwnRoutesQuery {
  readonly suppliers: readonly Supplier[]
  readonly key: ApiKey
  /** The routes of the model. */
  readonly offered: readonly Route[]
}

/** Includes suppliers without a usable credential: a broken key must not move spending to shared suppliers. */
function ownRoutes(supply: Supply, { suppliers, key, offered }: OwnRoutesQuery): readonly EligibleRoute[] {
  const eligible: EligibleRoute[] = []
  for (const supplier of suppliers) {
    if (!isUsable(supplier, key)) continue
    const route = ownRoute(supply, supplier, offered)
    if (route === null) continue
    const made = makeEligible(supply, supplier, { route, price: FREE, cost: null })
    if (made.formats.length > 0) eligible.push(made)
  }
  return eligible.length < 2
    ? eligible
    : eligible.sort((one, other) => one.route.priority - other.route.priority)
}

/** The supplier's own route to the model, else a copy of the route of a shared supplier at the same address. */
function ownRoute(supply: Supply, supplier: Supplier, routes: readonly Route[]): Route | null {
  const explicit = routes.find((route) => route.supplierId === supplier.id)
  if (explicit !== undefined) return explicit.enabled ? explicit : null
  const { placeOf } = indexOf(supply)
  const place = placeOf.get(supplier.id)
  const known = routes.find(
    (route) => route.enabled && isSharedAt(supply, route) && placeOf.get(route.supplierId) === place,
  )
  if (known === undefined) return null
  // Price and limits are those of the platform's own credentials.
  return { ...known, supplierId: supplier.id, price: null, cost: null, rpm: null, tpm: null }
}

/** A disabled shared supplier still describes the models of its service. */
function isSharedAt(supply: Supply, route: Route): boolean {
  return supply.suppliers.get(route.supplierId)?.source === 'shared'
}

function isUsable(supplier: Supplier, { routePolicy }: ApiKey): boolean {
  if (!supplier.enabled) return false
  return routePolicy.mode === 'intelligent' || routePolicy.provider === supplier.id
}

function makeEligible(
  supply: Supply,
  supplier: Supplier,
  { route, price, cost }: { route: Route; price: Price; cost: Price | null },
): EligibleRoute {
  return {
    route,
    price,
    cost,
    supplier,
    formats: (route.formats ?? supplier.formats).filter((format) => supplier.formats.includes(format)),
    credentials: activeCredentials(supply, supplier),
  }
}

function activeCredentials(supply: Supply, supplier: Supplier): readonly Credential[] {
  const credentials = supply.credentialsBySupplier.get(supplier.id) ?? []
  return credentials.filter((credential) => credential.state === 'active')
}

interface SupplyIndex {
  readonly ownSuppliers: ReadonlyMap<string, readonly Supplier[]>
  /** Identifies the service: suppliers with the same address have the same models. */
  readonly placeOf: ReadonlyMap<string, string>
  /** By model, added when first requested. The same for every key that is not fixed to one supplier. */
  readonly sharedRoutes: Map<string, readonly EligibleRoute[]>
  /** Models with a shared route that costs nothing. */
  readonly freeModels: readonly Model[]
}

// A supply is immutable, so these facts are computed once per supply.
const indexes = new WeakMap<Supply, SupplyIndex>()

function indexOf(supply: Supply): SupplyIndex {
  const known = indexes.get(supply)
  if (known !== undefined) return known
  const suppliers = [...supply.suppliers.values()]
  const index = {
    ownSuppliers: Map.groupBy(
      suppliers.filter(({ source }) => source === 'byok'),
      ({ accountId }) => accountId ?? '',
    ),
    placeOf: new Map(suppliers.map(({ id, type, baseUrl }) => [id, `${type} ${originOf(baseUrl)}`])),
    sharedRoutes: new Map<string, readonly EligibleRoute[]>(),
    freeModels: [...supply.models.values()].filter((model) =>
      supply.routesByModel.get(model.id)?.some(({ price }) => isFree({ price, kinds: model.kinds })),
    ),
  }
  indexes.set(supply, index)
  return index
}

function isFree({ price, kinds }: Pick<Route, 'price'> & Pick<Model, 'kinds'>): boolean {
  if (price === null) return false
  const { variants = [], ...general } = price
  return [general, ...variants].every((rates) => costsNothing(rates, kinds.includes('text')))
}

/** A text answer has images only when they are asked for. */
function costsNothing(rates: Rates | PriceVariant, isText: boolean): boolean {
  const { imageNano = 0n, imageRates = [], ...others } = rates
  if (!isText && (imageNano > 0n || imageRates.length > 0)) return false
  return !Object.values(others).some((rate) => typeof rate === 'bigint' && rate > 0n)
}

function originOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.origin ?? baseUrl
}

interface Matcher {
  readonly ids: ReadonlySet<string>
  /** By length, so that a model id is cut once for each length instead of compared with each prefix. */
  readonly prefixesByLength: ReadonlyMap<number, ReadonlySet<string>>
}

type Allowlist = NonNullable<ApiKey['modelAllowlist']>

// Checked on every request. A key's list is immutable and can have a thousand entries, so the matcher is cached.
const matchers = new WeakMap<Allowlist, Matcher>()

/** Whether the key's allowlist (exact ids and `prefix*`) contains this model. */
export function isAllowed({ modelAllowlist }: ApiKey, modelId: string): boolean {
  if (modelAllowlist === null) return true
  const { ids, prefixesByLength } = matcherOf(modelAllowlist)
  if (ids.has(modelId)) return true
  for (const [length, prefixes] of prefixesByLength) {
    if (prefixes.has(modelId.slice(0, length))) return true
  }
  return false
}

function matcherOf(allowlist: Allowlist): Matcher {
  const known = matchers.get(allowlist)
  if (known !== undefined) return known
  const prefixes = allowlist.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1))
  const grouped = Map.groupBy(prefixes, ({ length }) => length)
  const matcher = {
    ids: new Set(allowlist.filter((entry) => !entry.endsWith('*'))),
    prefixesByLength: new Map([...grouped].map(([length, group]) => [length, new Set(group)])),
  }
  matchers.set(allowlist, matcher)
  return matcher
}
