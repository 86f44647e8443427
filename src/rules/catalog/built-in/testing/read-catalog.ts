import { Value } from 'typebox/value'
import { DEFAULT_TRAITS, fitTraits } from '../../../../vocabulary/runtime/traits.ts'
import { type BuiltInCatalog, gatherCatalog } from '../built-in-catalog.ts'
import { type CatalogModel, type Vendor, VendorFile } from '../schema.ts'

/** Checks the files of the catalog against one another; throws an Error that names file and field. */
export function readCatalog(files: readonly unknown[]): BuiltInCatalog {
  const vendors = files.map(readVendor)
  refuseRepeated(vendors.map(({ vendor }) => vendor))
  refuseRepeated(vendors.flatMap((vendor) => vendor.key_variables))
  refuseRepeated(vendors.flatMap(({ models }) => models.map(({ id }) => id)))
  const catalog = gatherCatalog(vendors)
  for (const vendor of vendors) checkRoutes(vendor, catalog)
  return catalog
}

function readVendor(file: unknown, index: number): Vendor {
  if (!Value.Check(VendorFile, file)) {
    const [problem] = Value.Errors(VendorFile, file)
    throw broken(nameOf(file, index), `${problem?.instancePath ?? ''} ${problem?.message ?? 'does not fit'}`)
  }
  for (const model of file.models) checkTraits(file.vendor, model)
  return file
}

function nameOf(file: unknown, index: number): string {
  const hasName = typeof file === 'object' && file !== null && 'vendor' in file
  return hasName ? String(file.vendor) : `number ${index}`
}

/** Refuses misspelt traits, which would otherwise be ignored without notice. */
function checkTraits(vendor: string, { id, capabilities }: CatalogModel): void {
  for (const [name, value] of Object.entries(capabilities)) {
    const place = `model ${id}, capabilities.${name}`
    if (!Object.hasOwn(DEFAULT_TRAITS, name)) throw broken(vendor, `${place} is no trait`)
    if (fitTraits(DEFAULT_TRAITS, { [name]: value }) === DEFAULT_TRAITS)
      throw broken(vendor, `${place} has no value of this trait`)
  }
}

function checkRoutes(vendor: Vendor, { models }: BuiltInCatalog): void {
  refuseRepeated(vendor.routes.map(({ model }) => `${vendor.vendor} ${model}`))
  for (const route of vendor.routes) {
    if (!models.has(route.model)) throw broken(vendor.vendor, `route ${route.model} is of no known model`)
    const unspoken = route.formats?.find((format) => !vendor.formats.includes(format))
    if (unspoken !== undefined)
      throw broken(vendor.vendor, `route ${route.model} has the format ${unspoken}, which it does not speak`)
  }
}

function refuseRepeated(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new Error(`the built-in catalog names ${repeated} twice`)
}

function broken(vendor: string, problem: string): Error {
  return new Error(`the built-in catalog of ${vendor}: ${problem}`)
}
