import { parseUsdt } from '../../../vocabulary/money.ts'
import { type Price, USUAL_TIMEOUTS } from '../../../vocabulary/supply.ts'
import type { SupplyDocument, WantedModel, WantedSupplier } from '../../../vocabulary/supply-document.ts'
import type { BuiltInCatalog } from './read-catalog.ts'
import type { CatalogModel, CatalogPrice, CatalogRoute, Vendor } from './schema.ts'

/** Somebody's key at a vendor of the catalog. */
export interface VendorKey {
  readonly vendor: string
  readonly secret: string
  /** Another address than the vendor's own; null for that. */
  readonly baseUrl: string | null
}

/** Tells the credential made from a vendor key from the others of its supplier. */
export const VENDOR_KEY_LABEL = 'environment'

/** The supply these keys open: each vendor with its credential, and every model it offers. */
export function supplyOf(keys: readonly VendorKey[], catalog: BuiltInCatalog): SupplyDocument {
  const offers = keys.map((key) => offerOf(key, catalog))
  return {
    suppliers: offers.map(({ supplier }) => supplier),
    models: mergeModels(offers.flatMap(({ models }) => models)),
  }
}

/** What one vendor offers to whoever holds this key. */
export function offerOf(
  key: VendorKey,
  catalog: BuiltInCatalog,
): { readonly supplier: WantedSupplier; readonly models: readonly WantedModel[] } {
  const vendor = catalog.vendors.find((each) => each.vendor === key.vendor)
  if (vendor === undefined) throw new Error(`the built-in catalog has no vendor ${key.vendor}`)
  return {
    supplier: describeSupplier(vendor, key),
    models: vendor.routes.map((route) => describeModel(route, vendor, catalog)),
  }
}

function describeSupplier(vendor: Vendor, { secret, baseUrl }: VendorKey): WantedSupplier {
  return {
    id: vendor.vendor,
    type: vendor.type,
    baseUrl: baseUrl ?? vendor.base_url,
    formats: vendor.formats,
    source: 'shared',
    accountId: null,
    enabled: true,
    options: {},
    timeouts: USUAL_TIMEOUTS,
    credentials: [{ label: VENDOR_KEY_LABEL, secret, rpm: null, tpm: null, weight: 1, state: 'active' }],
  }
}

function describeModel(route: CatalogRoute, vendor: Vendor, { models }: BuiltInCatalog): WantedModel {
  const model = models.get(route.model)
  if (model === undefined) throw new Error(`the built-in catalog has no model ${route.model}`)
  return { ...modelFacts(model), routes: [describeRoute(route, vendor)] }
}

function modelFacts(model: CatalogModel): Omit<WantedModel, 'routes'> {
  return {
    id: model.id,
    ownedBy: model.owned_by,
    displayName: model.display_name,
    description: model.description,
    kinds: model.kinds,
    inputTokenLimit: model.input_token_limit,
    outputTokenLimit: model.output_token_limit,
    rpm: null,
    tpm: null,
    capabilities: model.capabilities,
  }
}

function describeRoute(route: CatalogRoute, vendor: Vendor): WantedModel['routes'][number] {
  return {
    supplierId: vendor.vendor,
    upstreamModel: route.upstream_model ?? route.model,
    formats: route.formats ?? null,
    price: readPrice(route.price),
    rpm: null,
    tpm: null,
    priority: vendor.priority,
    enabled: true,
  }
}

// Cached prompt tokens without a price of their own are prompt tokens.
function readPrice({
  input,
  output,
  cache_read = input,
  cache_write = input,
  image = '0',
}: CatalogPrice): Price {
  return {
    inputNanoPerMillion: parseUsdt(input, 'price.input'),
    outputNanoPerMillion: parseUsdt(output, 'price.output'),
    cacheReadNanoPerMillion: parseUsdt(cache_read, 'price.cache_read'),
    cacheWriteNanoPerMillion: parseUsdt(cache_write, 'price.cache_write'),
    imageNano: parseUsdt(image, 'price.image'),
  }
}

/** One entry for each model, with the routes of every vendor that offers it. */
function mergeModels(models: readonly WantedModel[]): WantedModel[] {
  return Map.groupBy(models, ({ id }) => id)
    .values()
    .map((same) => ({ ...(same[0] as WantedModel), routes: same.flatMap(({ routes }) => routes) }))
    .toArray()
}
