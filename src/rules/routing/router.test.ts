import { describe, expect, test } from 'bun:test'
import type { Price } from '../../vocabulary/price.ts'
import { ANSWERED, failed, RouterTrial, routeOf, seeded } from './testing/router-trial.ts'

describe('the only candidate', () => {
  const routes = [routeOf({ credentials: ['a'] })]

  test('is tried, and says so', () => {
    const { candidates, freeInSeconds } = new RouterTrial().order(routes)
    expect(candidates.map(({ reason }) => reason)).toEqual(['only candidate'])
    expect(freeInSeconds).toBeNull()
  })

  test('is tried as a last resort while its circuit is open', () => {
    const trial = new RouterTrial()
    trial.attempt(trial.candidate(routes, 'a'), failed('server'), failed('server'), failed('server'))
    expect(trial.order(routes).candidates[0]?.reason).toBe('last resort')
  })

  test('of no route at all is none', () => {
    expect(new RouterTrial().order([])).toEqual({ candidates: [], freeInSeconds: null })
    expect(new RouterTrial().ids([routeOf({ supplier: 's', credentials: [] })])).toEqual([])
  })
})

describe('the order of working candidates', () => {
  test('puts lower priorities first, whatever their price', () => {
    const routes = [
      routeOf({ credentials: ['cheap'], priority: 2 }),
      routeOf({ credentials: ['dear'], priority: 1, priceTimes: 9n }),
    ]
    expect(new RouterTrial().ids(routes)).toEqual(['dear', 'cheap'])
  })

  test("puts an account's own supplier before shared ones of any priority", () => {
    const routes = [
      routeOf({ credentials: ['shared'], priority: 1 }),
      routeOf({ credentials: ['own'], priority: 9, source: 'byok' }),
    ]
    expect(new RouterTrial().ids(routes)).toEqual(['own', 'shared'])
  })

  test('puts the cheaper for this request first', () => {
    const trial = new RouterTrial()
    const routes = [routeOf({ credentials: ['dear'], priceTimes: 3n }), routeOf({ credentials: ['cheap'] })]
    const { candidates } = trial.order(routes)
    expect(candidates.map(({ credential }) => credential.id)).toEqual(['cheap', 'dear'])
    expect(candidates.map(({ reason }) => reason)).toEqual([
      'score 1: price 1 latency 1 success 1',
      'score 0.67: price 0.33 latency 1 success 1',
    ])
  })

  test('compares the rates that apply to this request', () => {
    const trial = new RouterTrial()
    const routes = [routeOf({ credentials: ['usual'] }), routeOf({ credentials: ['dear'], priceTimes: 3n })]
    const [usual] = routes
    const ratesOf = (price: Price) =>
      price === usual?.price ? { ...price, inputNanoPerMillion: price.inputNanoPerMillion * 20n } : price
    expect(trial.ids(routes)).toEqual(['usual', 'dear'])
    expect(trial.ids(routes, { ratesOf })).toEqual(['dear', 'usual'])
  })

  test('puts the much faster first, and does not mind a little', () => {
    const trial = new RouterTrial()
    const routes = [routeOf({ credentials: ['slow'] }), routeOf({ credentials: ['fast'] })]
    const answerIn = (firstByteMs: number) => ({ ...ANSWERED, firstByteMs }) as const
    for (let round = 0; round < 10; round += 1) {
      trial.attempt(trial.candidate(routes, 'slow'), answerIn(1_000))
      trial.attempt(trial.candidate(routes, 'fast'), answerIn(100))
    }
    for (let round = 0; round < 10; round += 1) expect(trial.ids(routes)[0]).toBe('fast')
    for (let round = 0; round < 200; round += 1) trial.attempt(trial.candidate(routes, 'slow'), answerIn(60))
    const firsts = new Set(Array.from({ length: 400 }, () => trial.ids(routes)[0]))
    expect([...firsts].sort()).toEqual(['fast', 'slow'])
  })

  test('puts the more dependable first, until what went wrong is long ago', () => {
    const trial = new RouterTrial()
    const routes = [routeOf({ credentials: ['shaky'] }), routeOf({ credentials: ['sound'], priceTimes: 2n })]
    expect(trial.ids(routes)[0]).toBe('shaky')
    trial.attempt(trial.candidate(routes, 'shaky'), failed('server'), failed('server'))
    expect(trial.ids(routes)[0]).toBe('sound')
    trial.pass(600)
    expect(trial.ids(routes)[0]).toBe('shaky')
  })

  test("prefers a route that speaks the client's format when all else is equal, and only then", () => {
    const trial = new RouterTrial()
    const speaking = { credentials: ['speaks'], formats: ['messages'] } as const
    const asked = { clientFormat: 'messages' } as const
    const routes = [routeOf({ credentials: ['other'] }), routeOf(speaking)]
    for (let round = 0; round < 20; round += 1) expect(trial.ids(routes, asked)[0]).toBe('speaks')
    const dearer = [routeOf({ credentials: ['other'] }), routeOf({ ...speaking, priceTimes: 2n })]
    expect(trial.ids(dearer, asked)[0]).toBe('other')
  })

  test('has another supplier second when there is one of equal priority', () => {
    const routes = [
      routeOf({ supplier: 's', credentials: ['a', 'b', 'c', 'd'] }),
      routeOf({ credentials: ['x'], priceTimes: 5n }),
    ]
    expect(new RouterTrial().ids(routes)[1]).toBe('x')
  })

  test('has another supplier third when its priority is worse', () => {
    const routes = [
      routeOf({ supplier: 's', credentials: ['a', 'b', 'c', 'd'] }),
      routeOf({ credentials: ['x'], priority: 2 }),
    ]
    expect(new RouterTrial().ids(routes)[2]).toBe('x')
  })
})

describe('equal candidates', () => {
  const shareOf = (weights: readonly number[], rounds: number) => {
    const trial = new RouterTrial()
    const credentials = weights.map((_, index) => `c${index}`)
    const routes = [routeOf({ supplier: 's', credentials, weights })]
    const counts = new Map<string, number>()
    for (let round = 0; round < rounds; round += 1) {
      const [first] = trial.order(routes).candidates
      if (first === undefined) throw new Error('nothing to try')
      trial.attempt(first, ANSWERED)
      trial.pass(0.1)
      counts.set(first.credential.id, (counts.get(first.credential.id) ?? 0) + 1)
    }
    return credentials.map((id) => (counts.get(id) ?? 0) / rounds)
  }

  test('share the load evenly', () => {
    for (const share of shareOf([1, 1, 1, 1, 1], 1_000)) expect(share).toBeCloseTo(0.2, 1)
  })

  test('share the load in proportion to their weights', () => {
    const [three = 0, one = 0] = shareOf([3, 1], 1_000)
    expect(three).toBeGreaterThan(0.73)
    expect(three).toBeLessThan(0.77)
    expect(one).toBeCloseTo(1 - three)
  })

  test('share a burst that is ordered before anything has begun', () => {
    const trial = new RouterTrial()
    const routes = [routeOf({ supplier: 's', credentials: ['a', 'b', 'c', 'd'] })]
    const firsts = Array.from({ length: 100 }, () => trial.ids(routes)[0])
    const counts = Map.groupBy(firsts, (id) => id)
    expect([...counts.values()].map((list) => list.length)).toEqual([25, 25, 25, 25])
  })

  test('are not left to one that comes back after a long pause', () => {
    const trial = new RouterTrial()
    const away = [routeOf({ supplier: 's', credentials: ['a', 'b'] })]
    for (let round = 0; round < 1_000; round += 1) trial.ids(away)
    const back = [routeOf({ supplier: 's', credentials: ['a', 'b', 'c'] })]
    const firsts = Array.from({ length: 300 }, () => trial.ids(back)[0])
    expect(firsts.filter((id) => id === 'c').length).toBeLessThan(160)
    expect(firsts.slice(200).filter((id) => id === 'c').length).toBeLessThan(40)
  })

  test('that are busy wait their turn', () => {
    const trial = new RouterTrial()
    const routes = [routeOf({ supplier: 's', credentials: ['a', 'b'] })]
    for (let round = 0; round < 10; round += 1) trial.begin(trial.candidate(routes, 'a'))
    trial.pass(3_600)
    expect(Array.from({ length: 5 }, () => trial.ids(routes)[0])).toEqual(['b', 'b', 'b', 'b', 'b'])
  })
})

describe('exploration', () => {
  const routes = [routeOf({ credentials: ['best'] }), routeOf({ credentials: ['worse'], priceTimes: 4n })]

  test('sends about one request in fifty to what would not have been first', () => {
    const trial = new RouterTrial({ settings: { explorationShare: 0.02 }, random: seeded(7) })
    const orders = Array.from({ length: 10_000 }, () => trial.order(routes).candidates[0])
    const explored = orders.filter((first) => first?.reason === 'explore')
    expect(explored.every((first) => first?.credential.id === 'worse')).toBe(true)
    expect(explored.length).toBeGreaterThan(150)
    expect(explored.length).toBeLessThan(250)
  })

  test('does not leave the best priority', () => {
    const trial = new RouterTrial({ settings: { explorationShare: 1 } })
    const apart = [routeOf({ credentials: ['best'] }), routeOf({ credentials: ['worse'], priority: 2 })]
    for (let round = 0; round < 50; round += 1) expect(trial.ids(apart)[0]).toBe('best')
  })
})

describe('a look at what works', () => {
  const routes = [
    routeOf({ supplier: 's', credentials: ['a', 'b'] }),
    routeOf({ supplier: 't', credentials: ['c'] }),
  ]
  const idsOf = (trial: RouterTrial) =>
    trial.router.working(routes, 'model-1').map(({ credentials }) => credentials.map(({ id }) => id))

  test('leaves out what is broken or cooling', () => {
    const trial = new RouterTrial()
    expect(idsOf(trial)).toEqual([['a', 'b'], ['c']])
    trial.attempt(trial.candidate(routes, 'a'), failed('rate-limited', 30))
    trial.attempt(trial.candidate(routes, 'c'), failed('server'), failed('server'), failed('server'))
    expect(idsOf(trial)).toEqual([['b']])
    expect(trial.router.freeInSeconds(routes, 'model-1')).toBe(30)
    trial.pass(30)
    expect(idsOf(trial)).toEqual([['a', 'b']])
    expect(trial.router.freeInSeconds(routes, 'model-1')).toBeNull()
  })

  test('tells the earliest of several times, in whole seconds', () => {
    const trial = new RouterTrial()
    trial.attempt(trial.candidate(routes, 'a'), failed('rate-limited', 30))
    trial.attempt(trial.candidate(routes, 'b'), failed('rate-limited', 9))
    trial.pass(0.5)
    expect(trial.router.freeInSeconds(routes, 'model-1')).toBe(9)
  })

  test('changes nothing: the next request still gets the probe', () => {
    const trial = new RouterTrial()
    trial.attempt(trial.candidate(routes, 'c'), failed('server'), failed('server'), failed('server'))
    trial.pass(60)
    const before = trial.router.size
    for (let looks = 0; looks < 5; looks += 1) idsOf(trial)
    expect(trial.router.size).toEqual(before)
    expect(trial.order(routes).candidates[0]).toMatchObject({ credential: { id: 'c' }, reason: 'probe' })
  })
})
