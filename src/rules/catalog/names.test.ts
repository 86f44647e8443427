import { describe, expect, test } from 'bun:test'
import type { Alias } from '../../vocabulary/records/alias.ts'
import type { Wildcard } from '../../vocabulary/records/wildcard.ts'
import type { Supply, WildcardIndex } from '../../vocabulary/runtime/snapshot.ts'
import { A_PRICE, aSupplier } from '../../vocabulary/testing/specimens.ts'
import {
  aliasesOf,
  findAlias,
  findWildModel,
  indexAliases,
  indexWildcards,
  type ModelCatalog,
  matchWildcards,
  nameBehind,
} from './names.ts'

const wildcard = (pattern: string, fields: Partial<Wildcard> = {}): Wildcard => ({
  id: `${pattern.length}-${fields.supplierId ?? 'sup_1'}`,
  pattern,
  supplierId: 'sup_1',
  upstreamModel: null,
  kinds: ['text'],
  price: null,
  priority: 1,
  enabled: true,
  ...fields,
})
const indexed = (wildcards: readonly Wildcard[]): WildcardIndex => {
  const index = indexWildcards(wildcards)
  if (index === null) throw new Error('no wildcards')
  return index
}

describe('aliases', () => {
  const alias = (name: string, accountId: string | null, model: string): Alias => ({
    id: `${name}-${accountId}`,
    name,
    models: [model],
    accountId,
  })

  test('of an account come before the general ones', () => {
    const index = indexAliases([
      alias('fast', null, 'a'),
      alias('fast', 'acc_1', 'b'),
      alias('slow', null, 'c'),
      alias('own', 'acc_2', 'd'),
    ])
    if (index === null) throw new Error('no aliases')
    const found = (account: string, name: string) => findAlias(index, account, name)?.models ?? null
    expect(found('acc_1', 'fast')).toEqual(['b'])
    expect(found('acc_2', 'fast')).toEqual(['a'])
    expect(found('acc_1', 'own')).toBeNull()
    const names = (account: string) => aliasesOf(index, account).map(({ name, models }) => [name, models[0]])
    expect(names('acc_1')).toEqual([
      ['fast', 'b'],
      ['slow', 'c'],
    ])
  })

  test('cost nothing when there are none', () => expect(indexAliases([])).toBeNull())
})

describe('wildcards', () => {
  test('the longest beginning applies, and needs something after it', () => {
    const index = indexed([wildcard('*'), wildcard('gpt-*'), wildcard('gpt-5*')])
    const matched = (name: string) => matchWildcards(index, name).map(({ pattern }) => pattern)
    expect(matched('gpt-5-mini')).toEqual(['gpt-5*'])
    expect(matched('gpt-5')).toEqual(['gpt-*'])
    expect(matched('gpt-')).toEqual(['*'])
    expect(matched('claude')).toEqual(['*'])
    expect(matched('')).toEqual([])
  })

  test('with the same pattern are routes of one model, in order of priority', () => {
    const wildcards = indexed([
      wildcard('gpt-*', { supplierId: 'second', priority: 2 }),
      wildcard('gpt-*', { supplierId: 'first', upstreamModel: 'openai/gpt-*' }),
      wildcard('gpt-*', { supplierId: 'off', enabled: false }),
    ])
    const found = findWildModel('gpt-9', { wildcards, supply: supplyOf(), catalog: catalogOf({}) })
    expect(found?.routes.map(({ supplierId, upstreamModel }) => [supplierId, upstreamModel])).toEqual([
      ['first', 'openai/gpt-9'],
      ['second', 'gpt-9'],
    ])
  })

  test.each([
    [
      ['gpt-*', null],
      ['gpt-5', 'gpt-5'],
    ],
    [
      ['or/*', '*'],
      ['openai/gpt-5', 'or/openai/gpt-5'],
    ],
    [
      ['gpt-*', 'openai/gpt-*:free'],
      ['openai/gpt-5:free', 'gpt-5'],
    ],
    [
      ['gpt-*', null],
      ['claude-5', null],
    ],
    [
      ['gpt-*', null],
      ['gpt-', null],
    ],
  ] as const)('%j makes the names of clients: %j', ([pattern, upstreamModel], [upstream, name]) => {
    expect(nameBehind(wildcard(pattern, { upstreamModel }), upstream)).toBe(name)
  })
})

function supplyOf(): Supply {
  const none = new Map()
  const suppliers = new Map([['sup_1', aSupplier()]])
  return { suppliers, credentialsBySupplier: none, models: none, routesByModel: none }
}

const LISTED = { ...A_PRICE, inputNanoPerMillion: 7n }
const OWN = { ...A_PRICE, inputNanoPerMillion: 9n }

/** Knows the prices of these models, and counts how often it is asked. */
function catalogOf(prices: Readonly<Record<string, typeof LISTED>>): ModelCatalog & { asked: number } {
  return {
    asked: 0,
    factsOf: () => null,
    modelsAt: () => [],
    priceOf(_, upstreamModel) {
      this.asked += 1
      return prices[upstreamModel] ?? null
    },
  }
}

describe('a model behind a wildcard', () => {
  const priceOf = (name: string, own: Wildcard['price']) => {
    const query = {
      wildcards: indexed([wildcard('gpt-*', { price: own })]),
      supply: supplyOf(),
      catalog: catalogOf({ 'gpt-5': LISTED }),
    }
    return findWildModel(name, query)?.routes[0]?.price
  }

  test('costs what the catalog says, else what the wildcard says, else nothing is known', () => {
    expect(priceOf('gpt-5', OWN)).toBe(LISTED)
    expect(priceOf('gpt-9', OWN)).toBe(OWN)
    expect(priceOf('gpt-9', null)).toBeNull()
  })

  test('is remembered, and only so many are', () => {
    const catalog = catalogOf({})
    const query = { wildcards: indexed([wildcard('gpt-*', { price: OWN })]), supply: supplyOf(), catalog }
    const first = findWildModel('gpt-0', query)
    expect(findWildModel('gpt-0', query)).toBe(first)
    expect(catalog.asked).toBe(1)
    for (let number = 1; number <= 1_000; number += 1) findWildModel(`gpt-${number}`, query)
    expect(findWildModel('gpt-1000', query)).toBe(findWildModel('gpt-1000', query))
    expect(findWildModel('gpt-0', query)).not.toBe(first)
    expect(catalog.asked).toBe(1_002)
  })

  test('is found anew when supply or wildcards change', () => {
    const catalog = catalogOf({})
    const [supply, wildcards] = [supplyOf(), indexed([wildcard('gpt-*')])]
    findWildModel('gpt-9', { wildcards, supply, catalog })
    findWildModel('gpt-9', { wildcards, supply: supplyOf(), catalog })
    findWildModel('gpt-9', { wildcards: indexed([wildcard('gpt-*')]), supply, catalog })
    expect(catalog.asked).toBe(3)
  })

  test('has no endless name', () => {
    const query = { wildcards: indexed([wildcard('*')]), supply: supplyOf(), catalog: catalogOf({}) }
    expect(findWildModel('x'.repeat(201), query)).toBeNull()
  })
})
