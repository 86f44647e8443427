import { readCatalog } from './read-catalog.ts'
import { VENDOR_FILES } from './vendors/index.ts'

/** The catalog that comes with the program. It is checked when it is loaded: a broken one stops every start. */
export const BUILT_IN_CATALOG = readCatalog(VENDOR_FILES)
