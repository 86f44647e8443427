import type { SupplyGauges } from '../../edges/telemetry/metrics/metrics.ts'
import type { Router } from '../../rules/routing/router.ts'
import { addCapacity, credentialCapacity } from '../../serve/admission/capacity.ts'
import type { Admissions, WindowDemand } from '../../serve/ports/admissions.ts'
import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Route, Supplier } from '../../vocabulary/supply.ts'

/** More have no series of their own: the figure of the one that is worst off stands for them. */
const MAX_MODELS = 1_000
const OTHER = 'other'
/** Stands for all suppliers that belong to accounts, whose names customers choose. */
const OWN_SUPPLIERS = 'byok'

/** How metrics call a supplier. */
export function supplierLabel({ suppliers }: Supply, supplierId: string): string {
  const supplier = suppliers.get(supplierId)
  if (supplier === undefined) return OTHER
  return supplier.source === 'shared' ? supplierId : OWN_SUPPLIERS
}

export interface SupplyGaugeParts {
  readonly supply: Supply
  readonly router: Router
  readonly admissions: Pick<Admissions, 'read'>
}

/** Reads the state of every supplier of the platform that is in use. */
export function readSupplyGauges(parts: SupplyGaugeParts): SupplyGauges {
  const suppliers = [...parts.supply.suppliers.values()].filter(
    ({ source, enabled }) => source === 'shared' && enabled,
  )
  const candidates = readCandidates(parts, new Map(suppliers.map((supplier) => [supplier.id, supplier])))
  return {
    circuits: countsOf(candidates.circuits),
    credentials: countsOf(readCredentials(parts, suppliers, candidates.cooling)),
    modelCandidates: candidates.byModel,
    capacityUsed: suppliers.flatMap((supplier) => readCapacity(parts, supplier)),
  }
}

type Counts = Map<string, Record<string, number>>

function countsOf(counts: Counts) {
  return [...counts].flatMap(([supplier, states]) =>
    Object.entries(states).map(([state, count]) => ({ supplier, state, count })),
  )
}

interface Candidates {
  readonly circuits: Counts
  /** Ids of credentials that are cooling. */
  readonly cooling: Set<string>
  readonly byModel: Map<string, number>
}

/** States without a candidate are shown as 0, so that an alert sees them end. */
function readCandidates(parts: SupplyGaugeParts, suppliers: ReadonlyMap<string, Supplier>): Candidates {
  const candidates: Candidates = { circuits: new Map(), cooling: new Set(), byModel: new Map() }
  for (const [modelId, routes] of parts.supply.routesByModel) {
    const used = routes.filter(
      ({ enabled, price, supplierId }) => enabled && price !== null && suppliers.has(supplierId),
    )
    if (used.length === 0) continue
    const usable = used.map((route) => countUsable(parts, route, candidates))
    noteModel(
      candidates.byModel,
      modelId,
      usable.reduce((sum, count) => sum + count, 0),
    )
  }
  return candidates
}

/** How many credentials of a route can be used now. Counts the state of all. */
function countUsable(
  { supply, router }: SupplyGaugeParts,
  { modelId, supplierId }: Route,
  { circuits, cooling }: Candidates,
): number {
  const states = circuits.get(supplierId) ?? { closed: 0, 'half-open': 0, open: 0 }
  circuits.set(supplierId, states)
  let usable = 0
  for (const { id, state } of supply.credentialsBySupplier.get(supplierId) ?? []) {
    if (state !== 'active') continue
    const { circuit, coolingUntilMs } = router.standing({ modelId, supplierId, credentialId: id })
    states[circuit] = (states[circuit] ?? 0) + 1
    if (coolingUntilMs !== null) cooling.add(id)
    else if (circuit !== 'open') usable += 1
  }
  return usable
}

function noteModel(byModel: Map<string, number>, modelId: string, usable: number): void {
  if (byModel.size < MAX_MODELS) byModel.set(modelId, usable)
  else byModel.set(OTHER, Math.min(usable, byModel.get(OTHER) ?? usable))
}

function readCredentials(
  { supply }: SupplyGaugeParts,
  suppliers: readonly Supplier[],
  cooling: ReadonlySet<string>,
): Counts {
  const stateOf = ({ id, state }: Credential) => {
    if (state !== 'active') return 'disabled'
    return cooling.has(id) ? 'cooling' : 'ready'
  }
  const counts: Counts = new Map()
  for (const { id } of suppliers) {
    const states: Record<string, number> = { ready: 0, cooling: 0, disabled: 0 }
    for (const credential of supply.credentialsBySupplier.get(id) ?? []) {
      const state = stateOf(credential)
      states[state] = (states[state] ?? 0) + 1
    }
    counts.set(id, states)
  }
  return counts
}

/** The most used credential decides: the others cannot lend it their capacity. */
function readCapacity({ supply, admissions }: SupplyGaugeParts, { id }: Supplier) {
  const most = new Map<string, number>()
  for (const credential of supply.credentialsBySupplier.get(id) ?? []) {
    const windows: WindowDemand[] = []
    addCapacity(windows, credentialCapacity(credential, 0))
    for (const { metric, limit, remaining } of admissions.read(windows)) {
      most.set(metric, Math.max(most.get(metric) ?? 0, 1 - remaining / limit))
    }
  }
  return [...most].map(([limit, ratio]) => ({ supplier: id, limit, ratio }))
}
