import { expect, test } from 'bun:test'
import { A_PRICE, aCredential, aRoute, aSupplier } from '../../vocabulary/testing/specimens.ts'
import { orderCandidates } from './candidate.ts'
import type { EligibleRoute } from './eligible-routes.ts'

function routeOf(priority: number, weights: Readonly<Record<string, number>>): EligibleRoute {
  return {
    route: aRoute({ priority }),
    price: A_PRICE,
    cost: null,
    supplier: aSupplier(),
    formats: ['chat-completion'],
    credentials: Object.entries(weights).map(([id, weight]) => aCredential({ id, weight })),
  }
}

/** The same numbers in every run. */
function seeded(seed = 1): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const idsOf = (routes: readonly EligibleRoute[], random: () => number) =>
  orderCandidates(routes, random).map(({ credential }) => credential.id)

test('lower priority numbers come first, whatever the weights', () => {
  const routes = [routeOf(2, { late: 1_000 }), routeOf(1, { early: 0.001 })]
  const random = seeded()
  for (let round = 0; round < 100; round += 1) expect(idsOf(routes, random)).toEqual(['early', 'late'])
})

test('within one priority the first is drawn in proportion to the weights', () => {
  const random = seeded()
  const firsts = Array.from(
    { length: 10_000 },
    () => idsOf([routeOf(1, { a: 3 }), routeOf(1, { b: 1 })], random)[0],
  )
  const share = firsts.filter((id) => id === 'a').length / firsts.length
  expect(share).toBeGreaterThan(0.73)
  expect(share).toBeLessThan(0.77)
})

test('every credential of every route is a candidate once, with its reason', () => {
  const candidates = orderCandidates([routeOf(1, { a: 1, b: 2 }), routeOf(2, { c: 1 })], seeded())
  expect(candidates.map(({ credential }) => credential.id).toSorted()).toEqual(['a', 'b', 'c'])
  expect(candidates.find(({ credential }) => credential.id === 'b')?.reason).toBe('priority 1, weight 2')
})

test('a draw of exactly zero is a draw', () => {
  expect(idsOf([routeOf(1, { a: 1, b: 1 })], () => 0)).toEqual(['a', 'b'])
})

test('a route without credentials has no candidates', () => {
  expect(orderCandidates([routeOf(1, {})], seeded())).toEqual([])
})
