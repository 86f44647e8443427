import type { LocalOperations } from '../../manage/operations/parts.ts'
import type { Listing, Page } from '../../manage/ports/page.ts'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { supplyOf, VENDOR_KEY_LABEL, type VendorKey } from '../../rules/catalog/built-in/vendor-supply.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Supplier, SupplyDocument, WantedModel } from '../../vocabulary/supply.ts'

const ACTOR = 'environment'

/**
 * Registers the vendors whose keys the environment holds, with what the built-in catalog knows of them. Only what is
 * missing is added, so whatever an operator has made of suppliers, models and routes stays; a changed key takes the
 * place of the old one.
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

/** A key of ours does not go to where an account has its own of the same name lead. */
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

/** An address in the environment is meant for now, whatever the supplier's was before. */
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

/** Without routes an operator's own version of a supplier cannot take: those would refuse the whole document. */
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

/** A key taken out of the environment takes nothing away here: only an operator knows whether that was meant. */
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
