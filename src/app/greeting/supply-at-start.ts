import type { LocalOperations } from '../../manage/operations/parts.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { RouteState, Supplier } from '../../vocabulary/supply.ts'
import { FIRST_PAGE, listAll } from '../supply/environment-supply.ts'

/** What this gateway can serve when it starts, besides its sandbox. */
export interface SupplyAtStart {
  readonly suppliers: readonly { readonly id: string; readonly models: readonly string[] }[]
  /** The cheapest text model, for a first request; null when there is none. */
  readonly firstModel: string | null
}

type Supply = Pick<LocalOperations, 'listSuppliers' | 'listCredentials' | 'listModels' | 'listRoutes'>

export function readSupplyAtStart(operations: Supply): SupplyAtStart {
  const suppliers = listAll(operations.listSuppliers).filter((supplier) => isUsable(supplier, operations))
  const ids = new Set(suppliers.map(({ id }) => id))
  const routes = listAll(operations.listRoutes).filter(
    ({ supplierId, enabled, price }) => ids.has(supplierId) && enabled && price !== null,
  )
  return {
    suppliers: suppliers.map(({ id }) => ({
      id,
      models: routes.filter(({ supplierId }) => supplierId === id).map(({ modelId }) => modelId),
    })),
    firstModel: findCheapest(routes, operations),
  }
}

/** Whether every account may use it, and it can be called at all. */
function isUsable({ id, type, source, enabled }: Supplier, operations: Supply): boolean {
  if (type === 'sandbox' || source !== 'shared' || !enabled) return false
  return operations.listCredentials(id, FIRST_PAGE).data.some(({ state }) => state === 'active')
}

/** The first request of a new user should cost next to nothing. */
function findCheapest(routes: readonly RouteState[], operations: Supply): string | null {
  const texts = new Set(
    listAll(operations.listModels)
      .filter(({ kinds }) => kinds.includes('text'))
      .map(({ id }) => id),
  )
  const priced = routes.flatMap(({ modelId, price }) =>
    price !== null && texts.has(modelId) ? [{ modelId, nano: sumOf(price) }] : [],
  )
  const [first, ...others] = priced
  if (first === undefined) return null
  return others.reduce((least, each) => (each.nano < least.nano ? each : least), first).modelId
}

function sumOf({ inputNanoPerMillion, outputNanoPerMillion }: Price): NanoUsdt {
  return inputNanoPerMillion + outputNanoPerMillion
}
