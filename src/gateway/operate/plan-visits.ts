import { protocolOf } from '../../protocols/index.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { Supply } from '../../vocabulary/snapshot.ts'
import type { Credential, Model, Price, Route, Supplier } from '../../vocabulary/supply.ts'

/** A call to make: what to ask, whom, and with which credential. */
export interface Visit {
  readonly type: 'visit'
  readonly supplier: Supplier
  readonly credential: Credential
  readonly model: Model
  readonly route: Route
  readonly protocol: Protocol
}

/** A visit, or why there will be none. */
export type PlannedVisit =
  | Visit
  | {
      readonly type: 'skipped' | 'not_configured'
      readonly supplier: Supplier
      readonly credential: Credential | null
      readonly hint: string
    }

type Way = Pick<Visit, 'model' | 'route' | 'protocol'>

/** One visit for each supplier and credential, in the order of their ids. */
export function planVisits(supply: Supply): PlannedVisit[] {
  const suppliers = [...supply.suppliers.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return suppliers.flatMap((supplier) => planSupplier(supply, supplier))
}

function planSupplier(supply: Supply, supplier: Supplier): PlannedVisit[] {
  if (!supplier.enabled) return [leaveOut(supplier, 'skipped', 'The supplier is disabled.')]
  // A call would be on the bill of an account that has not asked for it.
  if (supplier.source === 'byok') return [leaveOut(supplier, 'skipped', 'It belongs to an account.')]
  const credentials = supply.credentialsBySupplier.get(supplier.id) ?? []
  if (credentials.length === 0) {
    return [leaveOut(supplier, 'not_configured', 'Add a credential to this supplier.')]
  }
  const way = cheapestWay(supply, supplier)
  if (way === null) {
    return [leaveOut(supplier, 'not_configured', 'Give a text model an enabled route with a price to it.')]
  }
  return credentials.map((credential) =>
    credential.state === 'active'
      ? { type: 'visit', supplier, credential, ...way }
      : { type: 'skipped', supplier, credential, hint: 'The credential is disabled.' },
  )
}

/** How to ask for a word of this model with a credential, or of another text model there; null when there is no way. */
export function planVisit(
  supply: Supply,
  supplier: Supplier,
  { credential, modelId }: { readonly credential: Credential; readonly modelId: string },
): Visit | null {
  const way = cheapestWay(supply, supplier, modelId) ?? cheapestWay(supply, supplier)
  return way === null ? null : { type: 'visit', supplier, credential, ...way }
}

function leaveOut(supplier: Supplier, type: 'skipped' | 'not_configured', hint: string): PlannedVisit {
  return { type, supplier, credential: null, hint }
}

/** The cheapest text model the supplier has, or this one, and the format it is asked in; null when there is none. */
function cheapestWay(supply: Supply, supplier: Supplier, modelId?: string): Way | null {
  const ways: (Way & { readonly price: Price })[] = []
  for (const route of [...supply.routesByModel.values()].flat()) {
    if (route.supplierId !== supplier.id || !route.enabled || route.price === null) continue
    if (modelId !== undefined && route.modelId !== modelId) continue
    const model = supply.models.get(route.modelId)
    const protocol = protocolFor(route, supplier)
    if (model?.kinds.includes('text') && protocol !== null) {
      ways.push({ model, route, protocol, price: route.price })
    }
  }
  const [cheapest] = ways.sort(
    (a, b) => comparePrices(a.price, b.price) || (a.model.id < b.model.id ? -1 : 1),
  )
  return cheapest ?? null
}

function protocolFor(route: Route, supplier: Supplier): Protocol | null {
  const formats = (route.formats ?? supplier.formats).filter((format) => supplier.formats.includes(format))
  return formats.map(protocolOf).find((protocol) => protocol !== undefined) ?? null
}

function comparePrices(a: Price, b: Price): number {
  return Number(
    a.outputNanoPerMillion - b.outputNanoPerMillion || a.inputNanoPerMillion - b.inputNanoPerMillion,
  )
}
