import { describe, expect, test } from 'bun:test'
import type { Supply } from '../../vocabulary/snapshot.ts'
import type { Credential, Route, Supplier } from '../../vocabulary/supply.ts'
import { aCredential, aKey, aModel, aRoute, aSupplier } from '../../vocabulary/testing/specimens.ts'
import { eligibleRoutes, isAllowed } from './eligible-routes.ts'

interface Rows {
  readonly suppliers: readonly Supplier[]
  readonly routes: readonly Route[]
  readonly credentials?: readonly Credential[]
}

function supplyOf({ suppliers, routes, credentials = [] }: Rows): Supply {
  return {
    suppliers: new Map(suppliers.map((supplier) => [supplier.id, supplier])),
    credentialsBySupplier: Map.groupBy(credentials, ({ supplierId }) => supplierId),
    models: new Map(),
    routesByModel: Map.groupBy(routes, ({ modelId }) => modelId),
  }
}

const suppliersFor = (rows: Rows, key = aKey()) =>
  eligibleRoutes(supplyOf(rows), key, aModel()).map(({ supplier }) => supplier.id)

describe('the allowlist of a key', () => {
  test.each([
    [null, 'model-1', true],
    [['model-1'], 'model-1', true],
    [['model-1'], 'model-10', false],
    [['model-*'], 'model-10', true],
    [['model-*'], 'mode', false],
    [['*'], 'anything', true],
    [['other', 'model-1'], 'model-1', true],
  ])('%p and %s: %p', (modelAllowlist, modelId, isLetThrough) => {
    expect(isAllowed(aKey({ modelAllowlist }), modelId)).toBe(isLetThrough)
  })
})

describe('the routes of a model that a key may use', () => {
  const both = {
    suppliers: [aSupplier({ id: 'a' }), aSupplier({ id: 'b' })],
    routes: [aRoute({ supplierId: 'a' }), aRoute({ supplierId: 'b' })],
  }

  test('are all of them by intelligent routing, one by a specified provider', () => {
    expect(suppliersFor(both)).toEqual(['a', 'b'])
    expect(suppliersFor(both, aKey({ routePolicy: { mode: 'specified_provider', provider: 'b' } }))).toEqual([
      'b',
    ])
  })

  test('are none when the allowlist keeps the model out', () => {
    expect(suppliersFor(both, aKey({ modelAllowlist: ['other'] }))).toEqual([])
  })

  test.each([
    ['the route is off', { routes: [aRoute({ enabled: false })] }],
    ['the route has no price', { routes: [aRoute({ price: null })] }],
    ['the supplier is off', { suppliers: [aSupplier({ enabled: false })] }],
    ['the supplier is gone', { suppliers: [] }],
  ])('leave one out when %s', (_why, rows) => {
    expect(suppliersFor({ suppliers: [aSupplier()], routes: [aRoute()], ...rows })).toEqual([])
  })

  test('carry the active credentials of their supplier', () => {
    const credentials = [
      aCredential({ id: 'on' }),
      aCredential({ id: 'off', state: 'disabled' }),
      aCredential({ id: 'elsewhere', supplierId: 'sup_2' }),
    ]
    const supply = supplyOf({ suppliers: [aSupplier()], routes: [aRoute()], credentials })
    const [route] = eligibleRoutes(supply, aKey(), aModel())
    expect(route?.credentials.map(({ id }) => id)).toEqual(['on'])
  })

  test('speak the formats of the route, as far as the supplier speaks them', () => {
    const rows = {
      suppliers: [aSupplier({ formats: ['chat-completion', 'responses'] })],
      routes: [aRoute({ formats: ['responses', 'messages'] })],
    }
    expect(eligibleRoutes(supplyOf(rows), aKey(), aModel())[0]?.formats).toEqual(['responses'])
  })
})
