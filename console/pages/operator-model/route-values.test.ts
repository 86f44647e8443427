import { expect, test } from 'bun:test'
import { bodyOfRoute, checkPrice, newRouteValues, valuesOfRoute } from './route-values.ts'

const PRICE = { input: '1.25', output: '10', cache_read: '0.125', cache_write: '1.25', image: '0' }
const ROUTE = {
  model: 'acme/large',
  supplier: 'acme',
  upstream_model: 'large',
  formats: null,
  price: PRICE,
  cost: null,
  price_source: 'manual' as const,
  rpm: 60,
  tpm: null,
  priority: 1,
  enabled: true,
  credentials: [],
}

test('sends an unchanged route as it was', () => {
  const { model: _m, supplier: _s, credentials: _c, ...body } = ROUTE
  expect(bodyOfRoute(valuesOfRoute(ROUTE))).toEqual(body)
})

test('fills empty fields with the defaults of the gateway', () => {
  const { price } = bodyOfRoute({ ...newRouteValues('m'), input: '2', output: '4' })
  expect(price).toEqual({ input: '2', output: '4', cache_read: '2', cache_write: '2', image: '0' })
})

test('requires a valid amount if the route has a price', () => {
  expect(checkPrice('', { hasPrice: true, isRequired: true })).not.toBeNull()
  expect(checkPrice('-1', { hasPrice: true, isRequired: true })).not.toBeNull()
  expect(checkPrice('', { hasPrice: true, isRequired: false })).toBeNull()
  expect(checkPrice('nonsense', { hasPrice: false, isRequired: true })).toBeNull()
})
