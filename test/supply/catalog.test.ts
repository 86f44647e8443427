import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { priceList } from '../../src/edges/price-list/index.ts'
import { protocolOf } from '../../src/protocols/index.ts'
import { BUILT_IN_CATALOG } from '../../src/rules/catalog/built-in/built-in-catalog.ts'
import { supplyOf } from '../../src/rules/catalog/built-in/vendor-supply.ts'
import { supplierTypeOf } from '../../src/suppliers/index.ts'
import { fitTraits } from '../../src/vocabulary/runtime/traits.ts'
import { TEXT_FORMATS } from '../../src/vocabulary/words.ts'
import { PLAIN_CONVERSATION } from '../support/plain-conversation.ts'

const { vendors } = BUILT_IN_CATALOG
const supply = supplyOf(
  vendors.map(({ vendor }) => ({ vendor, secret: 'sk-1', baseUrl: null })),
  BUILT_IN_CATALOG,
)
const formatsAt = (id: string) => supply.suppliers.find((supplier) => supplier.id === id)?.formats ?? []
const talkers = supply.models.filter(({ kinds }) => kinds.includes('text'))
/** Every text model in every format it can be asked in. */
const ways = talkers.flatMap((model) =>
  model.routes.flatMap((route) => {
    const formats = route.formats ?? formatsAt(route.supplierId)
    return TEXT_FORMATS.filter((format) => formats.includes(format)).map((format) => ({
      model,
      route,
      format,
    }))
  }),
)
const page = readFileSync(join(import.meta.dirname, '../../docs/suppliers/catalog.md'), 'utf8')

describe('the built-in catalog', () => {
  test('names only suppliers this version can call in the formats it gives them', () => {
    for (const { id, type, formats } of supply.suppliers) {
      const callable = supplierTypeOf(type).formats
      expect([id, formats?.filter((format) => !callable.includes(format))]).toEqual([id, []])
    }
  })

  test('describes models every format of theirs can be asked in', () => {
    for (const { model, route, format } of ways) {
      const side = protocolOf(format)?.supplier
      if (side === undefined) throw new Error(`${format} is not spoken`)
      const { dropped } = side.encodeRequest(PLAIN_CONVERSATION, {
        upstreamModel: route.upstreamModel,
        route: route.supplierId,
        traits: fitTraits(side.traits, model.capabilities),
        outputTokenLimit: model.outputTokenLimit,
      })
      expect([model.id, format, dropped]).toEqual([model.id, format, []])
    }
    expect(ways.length).toBeGreaterThan(talkers.length)
  })
})

describe('the vendors', () => {
  const isLocal = (address: string) => address.startsWith('http://127.0.0.1:')

  test('are at least forty, each with an address of its own', () => {
    expect(vendors.length).toBeGreaterThanOrEqual(40)
    expect(new Set(vendors.map(({ base_url }) => base_url)).size).toBe(vendors.length)
    for (const { base_url } of vendors) {
      expect(base_url.startsWith('https://') || isLocal(base_url)).toBe(true)
      expect(base_url).not.toEndWith('/')
    }
  })

  test('say where to check their facts', () => {
    const remote = vendors.filter(({ base_url }) => !isLocal(base_url))
    expect(remote.filter(({ check_at }) => check_at.length === 0).map(({ vendor }) => vendor)).toEqual([])
  })

  test.each([
    ['cerebras', 'gpt-oss-120b'],
    ['perplexity', 'sonar'],
    ['moonshot', 'kimi-k2-0905-preview'],
  ])('of the price list are found by their address: %s', (id, upstreamModel) => {
    const found = vendors.find(({ vendor }) => vendor === id)
    if (found === undefined) throw new Error(`no vendor ${id}`)
    const supplier = { type: found.type, baseUrl: found.base_url }
    expect(priceList.find({ supplier, upstreamModel, nowMs: 0 })?.price.inputNanoPerMillion).toBeGreaterThan(
      0n,
    )
  })
})

describe('docs/suppliers/catalog.md', () => {
  test('names the vendors without a variable', () => {
    for (const { vendor, key_variables } of vendors)
      if (key_variables.length === 0) expect(page).toContain(`\`${vendor}\``)
  })

  for (const { vendor, key_variables, base_url_variable, routes } of vendors) {
    if (key_variables.length === 0) continue
    test(`is correct about ${vendor}`, () => {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${vendor}\` | \``)) ?? ''
      const [, , keys = '', address = '', count = ''] = row.split('|').map((cell) => cell.trim())
      for (const name of key_variables) expect(keys).toContain(`\`${name}\``)
      expect(address).toBe(base_url_variable === null ? '' : `\`${base_url_variable}\``)
      expect(count).toBe(routes.length === 0 ? 'address only' : String(routes.length))
    })
  }
})
