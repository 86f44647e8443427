import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Price } from '../../../src/vocabulary/price.ts'
import type { Route } from '../../api/wire.ts'
import { NEW_VARIANT, type PriceValues } from './price-values.ts'
import { bodyOfRoute, findRouteErrors, newRouteValues, valuesOfRoute } from './route-values.ts'

const PRICE = { input: '1.25', output: '10', cache_read: '0.125', cache_write: '1.25', image: '0' }
const ROUTE: Route = {
  model: 'acme/large',
  supplier: 'acme',
  upstream_model: 'large',
  formats: null,
  price: PRICE,
  cost: null,
  price_source: 'manual',
  rpm: 60,
  tpm: null,
  priority: 1,
  enabled: true,
  credentials: [],
}

const rate = fc.constantFrom('0', '1.25', '0.000000001', '30')
const imageRates = fc.array(
  fc.record({
    size: fc.constantFrom(null, '1024x1024'),
    quality: fc.constantFrom(null, 'high'),
    price: rate,
  }),
  { maxLength: 2 },
)
const specialRates = {
  cache_write_1h: rate,
  reasoning: rate,
  audio_input: rate,
  request: rate,
  web_search: rate,
  images: imageRates,
}
const when = fc.record(
  {
    prompt_above: fc.integer({ min: 1, max: 1_000_000 }),
    prompt_part_above: fc.integer({ min: 1, max: 1_000_000 }),
    tier: fc.constantFrom('flex', 'batch'),
    hours: fc.constant('16:30-00:30'),
    from: fc.constant('2027-01-01T00:00:00Z'),
    until: fc.constant('2027-02-01T00:00:00Z'),
  },
  { requiredKeys: [] },
)
const variants = fc.array(
  fc.record({ when, input: rate, image: rate, ...specialRates }, { requiredKeys: ['when'] }),
  { maxLength: 3 },
)
const price = fc.record(
  { input: rate, output: rate, cache_read: rate, cache_write: rate, image: rate, ...specialRates, variants },
  { requiredKeys: ['input', 'output', 'cache_read', 'cache_write', 'image'] },
)

test('sends an unchanged route as it was', () => {
  fc.assert(
    fc.property(fc.option(price), fc.option(price), (ofPrice, ofCost) => {
      // The gateway would accept and show these prices.
      for (const each of [ofPrice, ofCost]) {
        if (each !== null) expect(shownAgain(each)).toEqual(each as never)
      }
      const route = { ...ROUTE, price: ofPrice, cost: ofCost } as Route
      const { model: _m, supplier: _s, credentials: _c, ...body } = route
      expect(findRouteErrors(valuesOfRoute(route))).toEqual({})
      expect(bodyOfRoute(valuesOfRoute(route))).toEqual(body)
    }),
  )
})

function shownAgain(sent: object): object {
  return JSON.parse(JSON.stringify(Price.show(Price.draft.read(sent as never))))
}

function newRoute(change: Partial<PriceValues>) {
  const values = newRouteValues({ id: 'acme/large', kinds: ['text'] })
  return { ...values, supplier: 'acme', price: { ...values.price, ...change } }
}

test('fills empty fields with the defaults of the gateway', () => {
  const { price: body } = bodyOfRoute(newRoute({ rates: { input: '2', output: ' 4 ', cache_read: '' } }))
  expect(body).toEqual({ input: '2', output: '4', cache_read: '2', cache_write: '2', image: '0' })
})

test('requires valid amounts and hours, in a price that the route has', () => {
  const image = { size: '', quality: '', price: '' }
  const rates = { input: '', output: '-1', reasoning: 'nonsense', request: '' }
  const variant = { ...NEW_VARIANT, rates: { input: 'x' }, when: { ...NEW_VARIANT.when, hours: '25:00-1' } }
  const values = newRoute({ rates, images: [image], variants: [NEW_VARIANT, variant] })
  expect(Object.keys(findRouteErrors(values))).toEqual([
    'price.rates.input',
    'price.rates.output',
    'price.rates.reasoning',
    'price.images.0.price',
    'price.variants.1.rates.input',
    'price.variants.1.when.hours',
  ])
  expect(findRouteErrors({ ...values, has_price: false })).toEqual({})
})

test('a new route needs no price for tokens that its model is not sold by', () => {
  const ratesOf = (...kinds: Parameters<typeof newRouteValues>[0]['kinds']) =>
    newRouteValues({ id: 'acme/large', kinds }).price.rates
  expect(ratesOf('rerank')).toEqual({ input: '0', output: '0' })
  expect(ratesOf('embedding')).toEqual({ input: '', output: '0' })
  expect(ratesOf('text', 'embedding')).toEqual({ input: '', output: '' })
})
