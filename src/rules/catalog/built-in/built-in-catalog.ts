import { readCatalog } from './read-catalog.ts'
import { VENDOR_FILES } from './vendors/index.ts'

/** The built-in catalog. It is validated on load; an invalid catalog prevents the start. */
export const BUILT_IN_CATALOG = readCatalog(VENDOR_FILES)
