import { expect, test } from 'bun:test'
import { MemoryAdmissions } from '../../edges/windows/memory-admissions.ts'
import { Router } from '../../rules/routing/router.ts'
import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Route } from '../../vocabulary/supply.ts'
import { aCredential, aModel, aRoute, aSupplier } from '../../vocabulary/testing/specimens.ts'
import { readSupplyGauges, supplierLabel } from './supply-gauges.ts'

const CLOCK = { nowMs: () => 1_000_000, monotonicMs: () => 5_000 }

const FIRST = aCredential({ id: 'cred_1', supplierId: 'one', rpm: 4, tpm: null })
const SECOND = aCredential({ id: 'cred_2', supplierId: 'one', rpm: null, tpm: null })
const THIRD = aCredential({ id: 'cred_3', supplierId: 'two', rpm: null, tpm: null, state: 'disabled' })

function supplyOf(routes: readonly Route[]): Supply {
  const suppliers = [
    aSupplier({ id: 'one' }),
    aSupplier({ id: 'two' }),
    aSupplier({ id: 'off', enabled: false }),
    aSupplier({ id: 'theirs', source: 'byok', accountId: 'acc_1' }),
  ]
  return {
    suppliers: new Map(suppliers.map((supplier) => [supplier.id, supplier])),
    credentialsBySupplier: new Map([
      ['one', [FIRST, SECOND]],
      ['two', [THIRD]],
    ]),
    models: new Map(routes.map(({ modelId }) => [modelId, aModel({ id: modelId })])),
    routesByModel: Map.groupBy(routes, ({ modelId }) => modelId),
  }
}

const ROUTES = [
  aRoute({ modelId: 'both', supplierId: 'one' }),
  aRoute({ modelId: 'both', supplierId: 'two' }),
  aRoute({ modelId: 'broken', supplierId: 'two' }),
  // None of these is in use.
  aRoute({ modelId: 'disabled', supplierId: 'one', enabled: false }),
  aRoute({ modelId: 'unpriced', supplierId: 'one', price: null }),
  aRoute({ modelId: 'switched off', supplierId: 'off' }),
  aRoute({ modelId: 'private', supplierId: 'theirs' }),
]

function read(router: Router, admissions = new MemoryAdmissions(CLOCK)) {
  return readSupplyGauges({ supply: supplyOf(ROUTES), router, admissions })
}

test('counts circuits and credentials by state, and what can serve each model in use', () => {
  const router = new Router({ clock: CLOCK, random: () => 0.5 })
  expect(read(router)).toEqual({
    circuits: [
      { supplier: 'one', state: 'closed', count: 2 },
      { supplier: 'one', state: 'half-open', count: 0 },
      { supplier: 'one', state: 'open', count: 0 },
      { supplier: 'two', state: 'closed', count: 0 },
      { supplier: 'two', state: 'half-open', count: 0 },
      { supplier: 'two', state: 'open', count: 0 },
    ],
    credentials: [
      { supplier: 'one', state: 'ready', count: 2 },
      { supplier: 'one', state: 'cooling', count: 0 },
      { supplier: 'one', state: 'disabled', count: 0 },
      { supplier: 'two', state: 'ready', count: 0 },
      { supplier: 'two', state: 'cooling', count: 0 },
      { supplier: 'two', state: 'disabled', count: 1 },
    ],
    modelCandidates: new Map([
      ['both', 2],
      ['broken', 0],
    ]),
    capacityUsed: [{ supplier: 'one', limit: 'requests', ratio: 0 }],
  })
})

test('sees open circuits, cooling credentials and used capacity', () => {
  const router = new Router({ clock: CLOCK, random: () => 0.5 })
  const ids = { supplierId: 'one', credentialId: FIRST.id, modelId: 'both' }
  router.learn({ type: 'circuit-opened', ...ids, forMs: 1_000 }, FIRST)
  const admissions = new MemoryAdmissions(CLOCK)
  admissions.takeCapacity([{ id: 'credential:cred_1:requests', metric: 'requests', limit: 4, amount: 3 }])
  const open = read(router, admissions)
  expect(open.circuits).toContainEqual({ supplier: 'one', state: 'open', count: 1 })
  expect(open.modelCandidates.get('both')).toBe(1)
  expect(open.capacityUsed).toEqual([{ supplier: 'one', limit: 'requests', ratio: 0.75 }])
  router.learn({ type: 'circuit-opened', ...ids, credentialId: SECOND.id, forMs: 1_000 }, SECOND)
  router.learn({ type: 'cooling', supplierId: 'one', credentialId: SECOND.id, forMs: 1_000 }, SECOND)
  const cooling = read(router, admissions)
  expect(cooling.credentials).toContainEqual({ supplier: 'one', state: 'cooling', count: 1 })
  expect(cooling.modelCandidates.get('both')).toBe(0)
})

test('names that customers chose are no labels', () => {
  const supply = supplyOf(ROUTES)
  expect(supplierLabel(supply, 'one')).toBe('one')
  expect(supplierLabel(supply, 'theirs')).toBe('byok')
  expect(supplierLabel(supply, 'deleted')).toBe('other')
})
