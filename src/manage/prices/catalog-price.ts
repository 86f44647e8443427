import type { BuiltInCatalog } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { catalogPrice, type Vendor } from '../../rules/catalog/built-in/schema.ts'
import { priceSince } from '../../rules/ledger/combine-prices.ts'
import type { Supplier } from '../../vocabulary/supply.ts'
import type { ListedPrice, PriceList } from '../ports/prices.ts'

/** Where prices are looked up. */
export interface PriceSources {
  readonly catalog: BuiltInCatalog
  readonly list: PriceList
  readonly nowMs: number
}

/** What says which vendor a supplier is. */
type PricedSupplier = Pick<Supplier, 'id' | 'type' | 'baseUrl'>

/** The price of a model at a supplier: of the built-in catalog, else of the price list; null when neither knows it. */
export function findCatalogPrice(
  supplier: PricedSupplier,
  upstreamModel: string,
  sources: PriceSources,
): ListedPrice | null {
  return (
    findBuiltIn(supplier, upstreamModel, sources) ??
    sources.list.find({ supplier, upstreamModel, nowMs: sources.nowMs })
  )
}

function findBuiltIn(
  supplier: PricedSupplier,
  upstreamModel: string,
  { catalog, nowMs }: PriceSources,
): ListedPrice | null {
  const vendor = vendorOf(supplier, catalog)
  const route = vendor?.routes.find(({ model, upstream_model = model }) => upstream_model === upstreamModel)
  if (vendor === undefined || route === undefined) return null
  return {
    price: priceSince(catalogPrice(route), nowMs),
    source: 'built-in',
    listedAs: `${vendor.vendor}:${upstreamModel}`,
    leftOut: [],
  }
}

/** By the name it got from the catalog, or by its address under another name. */
export function vendorOf(
  { id, type, baseUrl }: PricedSupplier,
  { vendors }: BuiltInCatalog,
): Vendor | undefined {
  const same = vendors.filter((vendor) => vendor.type === type)
  return (
    same.find(({ vendor }) => vendor === id) ?? same.find(({ base_url }) => isSameHost(base_url, baseUrl))
  )
}

function isSameHost(one: string, other: string): boolean {
  return URL.parse(one)?.host === URL.parse(other)?.host
}
