import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

describe('docs/suppliers/catalog.md', () => {
  for (const { vendor, key_variables, base_url_variable, routes } of vendors) {
    test(`is correct about ${vendor}`, () => {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${vendor}\` | \``)) ?? ''
      const [, , keys = '', address = '', count = ''] = row.split('|').map((cell) => cell.trim())
      for (const name of key_variables) expect(keys).toContain(`\`${name}\``)
      expect(address).toBe(base_url_variable === null ? '' : `\`${base_url_variable}\``)
      expect(count).toBe(routes.length === 0 ? 'address only' : String(routes.length))
    })
  }
})
