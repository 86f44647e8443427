import { describe, expect, test } from 'bun:test'
import type { Price } from '../../vocabulary/price.ts'
import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Route, Supplier } from '../../vocabulary/supply.ts'
import { aCredential, aKey, aModel, aRoute, aSupplier } from '../../vocabulary/testing/specimens.ts'
import { canServeUnpaid, eligibleRoutes, isAllowed, isVisible } from './eligible-routes.ts'

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

  test('are the same for all keys of one supply that nothing narrows, and those of a new supply are its own', () => {
    const supply = supplyOf(both)
    const one = eligibleRoutes(supply, aKey(), aModel())
    expect(eligibleRoutes(supply, aKey({ id: 'key_2' }), aModel())).toBe(one)
    const narrow = aKey({ routePolicy: { mode: 'specified_provider', provider: 'b' } })
    expect(eligibleRoutes(supply, narrow, aModel()).map(({ supplier }) => supplier.id)).toEqual(['b'])
    expect(eligibleRoutes(supply, aKey({ modelAllowlist: ['other'] }), aModel())).toEqual([])
    const [first] = both.suppliers
    const changed = supplyOf({ ...both, suppliers: first === undefined ? [] : [first] })
    expect(eligibleRoutes(changed, aKey(), aModel()).map(({ supplier }) => supplier.id)).toEqual(['a'])
    expect(one).toHaveLength(2)
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

describe("an account's own suppliers", () => {
  const PLACE = 'https://api.example.com'
  const shared = aSupplier({ id: 'shared', baseUrl: `${PLACE}/v1` })
  const own = aSupplier({ id: 'own', baseUrl: `${PLACE}/v1/`, source: 'byok', accountId: 'acc_1' })
  const foreign = { ...own, id: 'foreign', accountId: 'acc_2' }
  const rows = { suppliers: [shared, own, foreign], routes: [aRoute({ supplierId: 'shared' })] }
  const willing = aKey({ sharedFallback: true })
  const [first] = eligibleRoutes(supplyOf(rows), aKey(), aModel())

  test('have the routes of a shared supplier of the same type at the same place, at no price', () => {
    expect(first?.supplier.id).toBe('own')
    expect(first?.route).toMatchObject({ supplierId: 'own', upstreamModel: 'upstream-1', price: null })
    expect(Object.values(first?.price ?? { none: 1n }).every((amount) => amount === 0n)).toBe(true)
  })

  test('take over none of the limits of the platform there', () => {
    const limited = { ...rows, routes: [aRoute({ supplierId: 'shared', rpm: 1, tpm: 1 })] }
    const [route] = eligibleRoutes(supplyOf(limited), aKey(), aModel())
    expect(route?.route).toMatchObject({ rpm: null, tpm: null })
  })

  test('leave shared ones out unless the key may fall back, and then come first', () => {
    expect(suppliersFor(rows)).toEqual(['own'])
    expect(suppliersFor(rows, willing)).toEqual(['own', 'shared'])
    const late = { ...rows, routes: [...rows.routes, aRoute({ supplierId: 'own', priority: 9 })] }
    expect(suppliersFor(late, willing)).toEqual(['own', 'shared'])
  })

  test('are invisible to other accounts', () => {
    expect(suppliersFor(rows, aKey({ accountId: 'acc_2' }))).toEqual(['foreign'])
    expect(suppliersFor(rows, aKey({ accountId: 'acc_3' }))).toEqual(['shared'])
    const policy = { mode: 'specified_provider', provider: 'own' } as const
    expect(suppliersFor(rows, aKey({ accountId: 'acc_2', routePolicy: policy }))).toEqual([])
    expect(isVisible(own, 'acc_1')).toBe(true)
    expect(isVisible(own, 'acc_2')).toBe(false)
    expect(isVisible(shared, 'acc_2')).toBe(true)
  })

  test('narrow no more than the policy says', () => {
    const keyFor = (provider: string) => aKey({ routePolicy: { mode: 'specified_provider', provider } })
    expect(suppliersFor(rows, keyFor('own'))).toEqual(['own'])
    expect(suppliersFor(rows, keyFor('shared'))).toEqual(['shared'])
  })

  test.each([
    ['of another type', aSupplier({ ...own, type: 'anthropic' })],
    ['at another place', aSupplier({ ...own, baseUrl: 'https://other.example.com/v1' })],
    ['of another port', aSupplier({ ...own, baseUrl: `${PLACE}:8443/v1` })],
    ['that speak none of its formats', aSupplier({ ...own, formats: ['messages'] })],
    ['that are off', aSupplier({ ...own, enabled: false })],
  ])('have no routes when they are suppliers %s', (_why, supplier) => {
    const routes = [aRoute({ supplierId: 'shared', formats: ['chat-completion'] })]
    expect(suppliersFor({ suppliers: [shared, supplier], routes })).toEqual(['shared'])
  })

  test('need no price on routes of their own, and one that is off keeps a model away from them', () => {
    const route = aRoute({ supplierId: 'own', price: null, upstreamModel: 'mine' })
    const explicit = { ...rows, routes: [...rows.routes, route] }
    expect(eligibleRoutes(supplyOf(explicit), aKey(), aModel())[0]?.route.upstreamModel).toBe('mine')
    const off = { ...rows, routes: [...rows.routes, { ...route, enabled: false }] }
    expect(suppliersFor(off)).toEqual(['shared'])
  })

  test('know what a shared supplier knows that is off or has no price, but not what is off there', () => {
    const unpriced = {
      suppliers: [{ ...shared, enabled: false }, own],
      routes: [aRoute({ supplierId: 'shared', price: null })],
    }
    expect(suppliersFor(unpriced)).toEqual(['own'])
    expect(suppliersFor({ ...rows, routes: [aRoute({ supplierId: 'shared', enabled: false })] })).toEqual([])
  })

  test('still keep shared ones out when their last credential is disabled', () => {
    const credentials = [
      aCredential({ supplierId: 'own', state: 'disabled' }),
      aCredential({ supplierId: 'shared' }),
    ]
    const [only, ...others] = eligibleRoutes(supplyOf({ ...rows, credentials }), aKey(), aModel())
    expect([only?.supplier.id, only?.credentials, others]).toEqual(['own', [], []])
  })
})

describe('an account without money can be served', () => {
  const FREE = {
    inputNanoPerMillion: 0n,
    outputNanoPerMillion: 0n,
    cacheReadNanoPerMillion: 0n,
    cacheWriteNanoPerMillion: 0n,
    imageNano: 0n,
  }
  const shared = aSupplier({ id: 'shared' })
  const own = aSupplier({ id: 'own', source: 'byok', accountId: 'acc_1' })
  const canServe = (rows: Rows, key = aKey()) =>
    canServeUnpaid(
      {
        supply: { ...supplyOf(rows), models: new Map([['model-1', aModel()]]) },
        aliases: null,
        wildcards: null,
      },
      key,
    )
  const freeRoute = aRoute({ supplierId: 'shared', price: FREE })

  test('over an enabled supplier of its own that the key may use', () => {
    const paid = [aRoute({ supplierId: 'shared' })]
    expect(canServe({ suppliers: [shared], routes: paid })).toBe(false)
    expect(canServe({ suppliers: [shared, own], routes: paid })).toBe(true)
    expect(canServe({ suppliers: [shared, { ...own, enabled: false }], routes: paid })).toBe(false)
    expect(canServe({ suppliers: [shared, { ...own, accountId: 'acc_2' }], routes: paid })).toBe(false)
    const narrow = aKey({ routePolicy: { mode: 'specified_provider', provider: 'shared' } })
    expect(canServe({ suppliers: [shared, own], routes: paid }, narrow)).toBe(false)
  })

  test('by a free model that the key may use', () => {
    expect(canServe({ suppliers: [shared], routes: [freeRoute] })).toBe(true)
    expect(canServe({ suppliers: [shared], routes: [freeRoute] }, aKey({ modelAllowlist: ['other'] }))).toBe(
      false,
    )
  })

  const dear: readonly Price[] = [
    { ...FREE, outputNanoPerMillion: 1n },
    { ...FREE, requestNano: 1n },
    { ...FREE, characterNanoPerMillion: 1n },
    { ...FREE, variants: [{ when: { hours: '10:00-12:00' }, inputNanoPerMillion: 1n }] },
  ]
  test.each(dear)('not by a model that may cost something: %p', (price) => {
    expect(canServe({ suppliers: [shared], routes: [aRoute({ supplierId: 'shared', price })] })).toBe(false)
  })
})
