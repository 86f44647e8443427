import { type SupplyDocument, WantedModel, WantedSupplier } from '../../../vocabulary/supply.ts'
import type { BuiltInCatalog } from './built-in-catalog.ts'
import type { CatalogRoute, Vendor } from './schema.ts'

/** A key for a vendor of the catalog. */
export interface VendorKey {
  readonly vendor: string
  readonly secret: string
  /** A base URL other than the vendor's; null for the vendor's. */
  readonly baseUrl: string | null
}

/** Distinguishes the credential of a vendor key from the supplier's other credentials. */
export const VENDOR_KEY_LABEL = 'environment'

/** The supply for these keys: each vendor with its credential and every model it offers. */
export function supplyOf(keys: readonly VendorKey[], catalog: BuiltInCatalog): SupplyDocument {
  const offers = keys.map((key) => offerOf(key, catalog))
  return {
    suppliers: offers.map(({ supplier }) => supplier),
    models: mergeModels(offers.flatMap(({ models }) => models)),
  }
}

/** The supply of one vendor for this key. */
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
  return WantedSupplier.draft.read({
    id: vendor.vendor,
    type: vendor.type,
    base_url: baseUrl ?? vendor.base_url,
    formats: vendor.formats,
    credentials: [{ label: VENDOR_KEY_LABEL, secret }],
  })
}

function describeModel(
  { model: id, ...route }: CatalogRoute,
  vendor: Vendor,
  { models }: BuiltInCatalog,
): WantedModel {
  const model = models.get(id)
  if (model === undefined) throw new Error(`the built-in catalog has no model ${id}`)
  const { vendor: supplier, priority } = vendor
  return WantedModel.draft.read({
    ...model,
    routes: [{ upstream_model: id, ...route, price_source: 'catalog', supplier, priority }],
  })
}

/** One entry for each model, with the routes of every vendor that offers it. */
function mergeModels(models: readonly WantedModel[]): WantedModel[] {
  return Map.groupBy(models, ({ id }) => id)
    .values()
    .map((same) => ({ ...(same[0] as WantedModel), routes: same.flatMap(({ routes }) => routes) }))
    .toArray()
}
