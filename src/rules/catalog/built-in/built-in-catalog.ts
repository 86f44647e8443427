import type { CatalogModel, Vendor } from './schema.ts'
import { VENDOR_FILES } from './vendors/index.ts'

/** Vendors, and the facts about each model. */
export interface BuiltInCatalog {
  readonly vendors: readonly Vendor[]
  readonly models: ReadonlyMap<string, CatalogModel>
}

export function gatherCatalog(vendors: readonly Vendor[]): BuiltInCatalog {
  const models = vendors.flatMap((vendor) => vendor.models)
  return { vendors, models: new Map(models.map((model) => [model.id, model])) }
}

/**
 * The built-in catalog. Its files are part of the program, so a test checks them: to check them at every start, and for
 * every command, took a quarter of it.
 */
export const BUILT_IN_CATALOG = gatherCatalog(VENDOR_FILES as readonly Vendor[])
