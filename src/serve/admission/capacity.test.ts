import { expect, test } from 'bun:test'
import { A_PRICE, aCredential, aModel, aRoute, aSupplier } from '../../vocabulary/testing/specimens.ts'
import { capacityWindows, type SupplyDemand } from './capacity.ts'

const candidateWith = (route: object, credential: object) => ({
  route: {
    route: aRoute(route),
    price: A_PRICE,
    cost: null,
    supplier: aSupplier(),
    formats: ['chat-completion'] as const,
    credentials: [],
  },
  credential: aCredential(credential),
  reason: '',
})
const demandOf = (model: object, more: Partial<SupplyDemand> = {}): SupplyDemand => ({
  model: aModel(model),
  tokens: 700,
  copies: 1,
  isFirst: true,
  ...more,
})

test('an attempt takes from the model, the route and the credential, where they have limits', () => {
  const windows = capacityWindows(candidateWith({ tpm: 5_000 }, { rpm: 3, tpm: 900 }), demandOf({ rpm: 9 }))
  expect(windows).toEqual([
    { id: 'model:model-1:requests', metric: 'requests', limit: 9, amount: 1 },
    { id: 'route:sup_1:model-1:tokens', metric: 'tokens', limit: 5_000, amount: 700 },
    { id: 'credential:cred_1:requests', metric: 'requests', limit: 3, amount: 1 },
    { id: 'credential:cred_1:tokens', metric: 'tokens', limit: 900, amount: 700 },
  ])
})

test('further attempts do not count again for the model', () => {
  const windows = capacityWindows(candidateWith({}, { rpm: 3 }), demandOf({ rpm: 9 }, { isFirst: false }))
  expect(windows.map(({ id }) => id)).toEqual(['credential:cred_1:requests'])
})

test('takes nothing without limits', () => {
  expect(capacityWindows(candidateWith({}, {}), demandOf({}))).toEqual([])
})

test('each copy of a request counts, as the supplier counts it', () => {
  const windows = capacityWindows(candidateWith({}, { rpm: 9, tpm: 9_000 }), demandOf({}, { copies: 3 }))
  expect(windows.map(({ amount }) => amount)).toEqual([3, 2_100])
})
