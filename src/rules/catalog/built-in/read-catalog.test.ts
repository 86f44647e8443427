import { describe, expect, test } from 'bun:test'
import { DEFAULT_TRAITS } from '../../../vocabulary/runtime/traits.ts'
import { BUILT_IN_CATALOG } from './built-in-catalog.ts'
import { readCatalog } from './testing/read-catalog.ts'
import { VENDOR_FILES } from './vendors/index.ts'

type Fields = Record<string, unknown>

const MODEL = {
  id: 'm-1',
  owned_by: 'acme',
  display_name: 'M 1',
  description: 'A model.',
  kinds: ['text'],
  input_token_limit: 1000,
  output_token_limit: null,
  capabilities: { vision: false },
}
const ROUTE = { model: 'm-1', price: { input: '1.25', output: '10' } }

const file = (fields: Fields = {}) => ({
  vendor: 'acme',
  type: 'openai-compatible',
  base_url: 'https://api.acme.example/v1',
  formats: ['chat-completion'],
  key_variables: ['ACME_API_KEY'],
  base_url_variable: null,
  priority: 1,
  collected_on: '2026-11-15',
  facts_from: ['the page of the vendor'],
  check_at: ['https://acme.example/models'],
  models: [MODEL],
  routes: [ROUTE],
  ...fields,
})

describe('the files that come with the program', () => {
  test('are right, and so are read as they are', () => {
    expect(readCatalog(VENDOR_FILES)).toEqual(BUILT_IN_CATALOG)
    expect(BUILT_IN_CATALOG.vendors).toHaveLength(VENDOR_FILES.length)
    expect(BUILT_IN_CATALOG.models.size).toBeGreaterThan(30)
  })

  test('name traits that exist', () => {
    const names = [...BUILT_IN_CATALOG.models.values()].flatMap(({ capabilities }) =>
      Object.keys(capabilities),
    )
    expect(names.filter((name) => !Object.hasOwn(DEFAULT_TRAITS, name))).toEqual([])
    expect(new Set(names).size).toBeGreaterThan(5)
  })

  test('offer every model they describe', () => {
    const offered = new Set(
      BUILT_IN_CATALOG.vendors.flatMap(({ routes }) => routes.map(({ model }) => model)),
    )
    expect([...BUILT_IN_CATALOG.models.keys()].filter((id) => !offered.has(id))).toEqual([])
  })

  test('say where their prices are from and where to check them', () => {
    const priced = BUILT_IN_CATALOG.vendors.filter(({ routes }) => routes.length > 0)
    expect(priced.filter(({ check_at }) => check_at.length === 0)).toEqual([])
    expect(priced.filter(({ facts_from }) => facts_from.length === 0)).toEqual([])
  })

  test('never sell a cached token for more than a fresh one', () => {
    const routes = BUILT_IN_CATALOG.vendors.flatMap((vendor) => vendor.routes)
    const dear = routes.filter(({ price }) => Number(price.cache_read ?? 0) > Number(price.input))
    expect(dear).toEqual([])
  })
})

describe('a file that is wrong', () => {
  const WRONG: [what: string, files: readonly unknown[], message: RegExp][] = [
    ['no object', [null], /number 0/],
    ['an unknown field', [file({ colour: 'red' })], /acme/],
    [
      'a price that is a number',
      [file({ routes: [{ ...ROUTE, price: { input: 1, output: '1' } }] })],
      /acme.*price/,
    ],
    [
      'a price with a misspelt rate',
      [file({ routes: [{ ...ROUTE, price: { input: '1', output: '1', cach_read: '1' } }] })],
      /acme.*price/,
    ],
    [
      'a variant with an unknown condition',
      [
        file({
          routes: [{ ...ROUTE, price: { input: '1', output: '1', variants: [{ when: { day: 'mon' } }] } }],
        }),
      ],
      /acme.*variants/,
    ],
    ['an unknown type', [file({ type: 'acme' })], /acme.*type/],
    [
      'an unknown trait',
      [file({ models: [{ ...MODEL, capabilities: { visoin: true } }] })],
      /visoin is no trait/,
    ],
    [
      'a trait with a wrong value',
      [file({ models: [{ ...MODEL, capabilities: { vision: 1 } }] })],
      /vision has no value/,
    ],
    [
      'an unknown effort',
      [file({ models: [{ ...MODEL, capabilities: { thinking: { type: 'effort', efforts: ['huge'] } } }] })],
      /thinking has no value/,
    ],
    ['a route to nowhere', [file({ models: [] })], /m-1 is of no known model/],
    ['a format it does not speak', [file({ routes: [{ ...ROUTE, formats: ['messages'] }] })], /messages/],
    ['a model twice', [file({ models: [MODEL, MODEL] })], /m-1 twice/],
    ['a route twice', [file({ routes: [ROUTE, ROUTE] })], /acme m-1 twice/],
    ['a vendor twice', [file(), file()], /acme twice/],
  ]
  for (const [what, files, message] of WRONG) {
    test(what, () => expect(() => readCatalog(files)).toThrow(message))
  }

  test('and the same file put right is read', () =>
    expect(readCatalog([file()]).models.has('m-1')).toBe(true))
})
