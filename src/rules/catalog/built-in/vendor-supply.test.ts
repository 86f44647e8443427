import { describe, expect, test } from 'bun:test'
import { BUILT_IN_CATALOG } from './built-in-catalog.ts'
import { offerOf, supplyOf, type VendorKey } from './vendor-supply.ts'

const key = (vendor: string, baseUrl: string | null = null): VendorKey => ({
  vendor,
  secret: `sk-${vendor}`,
  baseUrl,
})
const everyKey = BUILT_IN_CATALOG.vendors.map(({ vendor }) => key(vendor))

describe('what a key opens', () => {
  test('the supplier under the name of the vendor, with one credential', () => {
    const { supplier } = offerOf(key('anthropic'), BUILT_IN_CATALOG)
    expect(supplier).toMatchObject({
      id: 'anthropic',
      type: 'anthropic',
      baseUrl: 'https://api.anthropic.com',
      formats: ['messages'],
      source: 'shared',
      enabled: true,
    })
    expect(supplier.credentials).toEqual([
      { label: 'environment', secret: 'sk-anthropic', rpm: null, tpm: null, weight: 1, state: 'active' },
    ])
  })

  test('at another address where one is given', () =>
    expect(offerOf(key('openai', 'http://127.0.0.1:9/v1'), BUILT_IN_CATALOG).supplier.baseUrl).toBe(
      'http://127.0.0.1:9/v1',
    ))

  test('exact prices; what has no price of its own costs as much as input', () => {
    const { models } = offerOf(key('openai'), BUILT_IN_CATALOG)
    const priceOf = (id: string) => models.find((model) => model.id === id)?.routes[0]?.price
    expect(priceOf('gpt-6-luna')).toMatchObject({
      inputNanoPerMillion: 100_000_000n,
      outputNanoPerMillion: 500_000_000n,
      cacheReadNanoPerMillion: 10_000_000n,
      cacheWriteNanoPerMillion: 125_000_000n,
      imageNano: 0n,
      webSearchNano: 10_000_000n,
    })
    expect(priceOf('gpt-4o')?.cacheWriteNanoPerMillion).toBe(2_500_000_000n)
  })

  test('routes whose price follows the catalog', () => {
    const routes = supplyOf(everyKey, BUILT_IN_CATALOG).models.flatMap((model) => model.routes)
    expect(new Set(routes.map(({ priceSource }) => priceSource))).toEqual(new Set(['catalog']))
  })

  test('nothing of an unknown vendor', () =>
    expect(() => offerOf(key('acme'), BUILT_IN_CATALOG)).toThrow('no vendor acme'))
})

describe('what several keys open', () => {
  const supply = supplyOf(everyKey, BUILT_IN_CATALOG)

  test('each model once, however many vendors offer it', () => {
    const ids = supply.models.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
    expect(new Set(ids)).toEqual(new Set(BUILT_IN_CATALOG.models.keys()))
  })

  test('a route for each vendor that offers the model, its maker first', () => {
    const routes = supply.models.find(({ id }) => id === 'deepseek-v4-pro')?.routes ?? []
    expect(
      routes.map(({ supplierId, upstreamModel, priority }) => [supplierId, upstreamModel, priority]),
    ).toEqual([
      ['deepseek', 'deepseek-v4-pro', 1],
      ['together', 'deepseek-ai/DeepSeek-V4-Pro-0813', 2],
    ])
  })

  test('only routes to suppliers that are there', () => {
    const { models, suppliers } = supplyOf([key('together')], BUILT_IN_CATALOG)
    expect(suppliers.map(({ id }) => id)).toEqual(['together'])
    expect(new Set(models.flatMap(({ routes }) => routes.map(({ supplierId }) => supplierId)))).toEqual(
      new Set(['together']),
    )
  })

  test('nothing without keys', () =>
    expect(supplyOf([], BUILT_IN_CATALOG)).toEqual({ suppliers: [], models: [] }))
})
