import type { LocalOperations } from '../../manage/operations/parts.ts'
import type { Listing, Page } from '../../manage/ports/page.ts'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { supplyOf, VENDOR_KEY_LABEL, type VendorKey } from '../../rules/catalog/built-in/vendor-supply.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Supplier, SupplyDocument, WantedModel } from '../../vocabulary/supply.ts'

const ACTOR = 'environment'

/**
 * Registers the vendors whose keys are in the environment, with their models from the built-in catalog. Only missing
 * records are added, so an operator's changes to suppliers, models and routes stay. A changed key replaces the old one.
 */
export async function registerVendorKeys(
  operations: LocalOperations,
  keys: readonly VendorKey[],
  log: Log,
): Promise<void> {
  const known = listSuppliers(operations)
  const ours = leaveOutForeign(keys, known, log)
  await moveSuppliers(operations, ours, known)
  const document = fitToSuppliers(supplyOf(ours, BUILT_IN_CATALOG), known)
  await operations.applySupply(document, { actor: ACTOR, keepExisting: true })
  noteOrphans(operations, keys, log)
}

/** The platform's key must not be sent to an account's supplier of the same name. */
function leaveOutForeign(
  keys: readonly VendorKey[],
  known: ReadonlyMap<string, Supplier>,
  log: Log,
): readonly VendorKey[] {
  const isForeign = ({ vendor }: VendorKey) => (known.get(vendor)?.source ?? 'shared') !== 'shared'
  for (const { vendor } of keys.filter(isForeign)) {
    log.notice('a key in the environment is not used: the supplier of that name belongs to an account', {
      supplier: vendor,
    })
  }
  return keys.filter((key) => !isForeign(key))
}

/** An address in the environment replaces the stored one. */
async function moveSuppliers(
  operations: LocalOperations,
  keys: readonly VendorKey[],
  known: ReadonlyMap<string, Supplier>,
): Promise<void> {
  for (const { vendor, baseUrl } of keys) {
    const supplier = known.get(vendor)
    if (supplier !== undefined && baseUrl !== null) {
      await operations.putSupplier({ ...supplier, baseUrl }, ACTOR)
    }
  }
}

/** Removes routes that an operator's version of a supplier does not support: they would fail the whole document. */
function fitToSuppliers(document: SupplyDocument, known: ReadonlyMap<string, Supplier>): SupplyDocument {
  const fit = (route: WantedModel['routes'][number]) => {
    const spoken = known.get(route.supplierId)?.formats
    if (spoken === undefined || route.formats === null) return [route]
    const formats = route.formats.filter((format) => spoken.includes(format))
    return formats.length === 0 ? [] : [{ ...route, formats }]
  }
  const models = document.models.map((model) => ({ ...model, routes: model.routes.flatMap(fit) }))
  return { ...document, models: models.filter(({ routes }) => routes.length > 0) }
}

/** A key that left the environment is only reported: an operator has to decide whether its credential goes too. */
function noteOrphans(operations: LocalOperations, keys: readonly VendorKey[], log: Log): void {
  for (const { id } of listSuppliers(operations).values()) {
    if (keys.some(({ vendor }) => vendor === id)) continue
    const credentials = listAll((page) => operations.listCredentials(id, page))
    if (credentials.some(({ label, state }) => label === VENDOR_KEY_LABEL && state === 'active')) {
      log.notice('the key of a supplier is no longer in the environment; its credential stays', {
        supplier: id,
      })
    }
  }
}

function listSuppliers(operations: LocalOperations): ReadonlyMap<string, Supplier> {
  return new Map(listAll(operations.listSuppliers).map((supplier) => [supplier.id, supplier]))
}

export const FIRST_PAGE = { limit: 1_000, cursor: null } as const

/** Everything a paged list holds. */
export function listAll<T>(list: (page: Page) => Listing<T>): readonly T[] {
  const found: T[] = []
  let cursor: string | null = null
  do {
    const listing: Listing<T> = list({ ...FIRST_PAGE, cursor })
    found.push(...listing.data)
    cursor = listing.nextCursor
  } while (cursor !== null)
  return found
}
