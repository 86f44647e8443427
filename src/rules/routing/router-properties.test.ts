import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Candidate } from './candidate.ts'
import type { AttemptVerdict, RoutingOrder } from './router.ts'
import { ANSWERED, failed, RouterTrial, routeOf, seeded } from './testing/router-trial.ts'

const ROUTES = [
  routeOf({ supplier: 's', credentials: ['a', 'b', 'c'], weights: [1, 2, 3] }),
  routeOf({ supplier: 't', credentials: ['d', 'e'], priceTimes: 2n }),
  routeOf({ supplier: 'u', credentials: ['f'], priority: 2 }),
  routeOf({ supplier: 'v', credentials: ['g'], priority: 5, source: 'byok' }),
]
const EVERYONE = ROUTES.flatMap((route) => route.credentials.map((credential) => ({ route, credential })))

const RESULTS: readonly AttemptVerdict[] = [
  ANSWERED,
  { type: 'abandoned' },
  { ...ANSWERED, remaining: { requests: 0, tokens: null, resetSeconds: 3 } },
  { ...ANSWERED, remaining: { requests: 2, tokens: 50, resetSeconds: 3 } },
  failed('server'),
  failed('server'),
  failed('unreachable'),
  failed('timeout'),
  failed('overloaded', 2),
  failed('rate-limited'),
  failed('rate-limited', 4),
  failed('credential'),
  failed('input'),
]

type Step =
  | { readonly type: 'ask'; readonly conversation: string | null; readonly place: number }
  | { readonly type: 'end'; readonly which: number; readonly result: AttemptVerdict }
  | { readonly type: 'wait'; readonly seconds: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('ask' as const),
    conversation: fc.constantFrom(null, 'one', 'two'),
    place: fc.nat(2),
  }),
  fc.record({ type: fc.constant('end' as const), which: fc.nat(9), result: fc.constantFrom(...RESULTS) }),
  fc.record({ type: fc.constant('wait' as const), seconds: fc.constantFrom(0.1, 1, 3, 30, 700) }),
)

/** Plays steps on a router and keeps the attempts that are under way. */
class Play {
  readonly trial: RouterTrial
  readonly underWay: Candidate[] = []

  constructor(seed: number) {
    this.trial = new RouterTrial({ random: seeded(seed), settings: { explorationShare: 0.2 } })
  }

  take(next: Step): RoutingOrder | null {
    switch (next.type) {
      case 'wait':
        this.trial.pass(next.seconds)
        return null
      case 'end':
        this.#end(next.which, next.result)
        return null
      case 'ask':
        return this.trial.order(ROUTES, { conversation: next.conversation })
    }
  }

  begin(candidate: Candidate | undefined): void {
    if (candidate !== undefined && this.trial.begin(candidate)) this.underWay.push(candidate)
  }

  #end(which: number, result: AttemptVerdict): void {
    const [candidate] = this.underWay.splice(which % Math.max(1, this.underWay.length), 1)
    if (candidate === undefined) return
    this.trial.end(candidate, result)
    if (result.type === 'answered') this.trial.router.remember('one', candidate)
  }
}

function playing(check: (order: RoutingOrder, play: Play, next: Step) => void): void {
  fc.assert(
    fc.property(fc.nat(), fc.array(step, { maxLength: 120, size: 'max' }), (seed, steps) => {
      const play = new Play(seed)
      for (const next of steps) {
        const order = play.take(next)
        if (order === null) continue
        check(order, play, next)
        if (next.type === 'ask') play.begin(order.candidates[next.place])
      }
    }),
    { numRuns: 150 },
  )
}

const idOf = ({ credential }: Pick<Candidate, 'credential'>) => credential.id

test('no candidate is ever cooling, and when one was, the order says when it is free', () => {
  playing(({ candidates, freeInSeconds }, { trial }) => {
    for (const candidate of candidates) expect(trial.standing(candidate).coolingUntilMs).toBeNull()
    const cooling = EVERYONE.flatMap((one) => trial.standing({ ...one, reason: '' }).coolingUntilMs ?? [])
    const soonestMs = Math.min(...cooling) - trial.nowMs - trial.wallAheadMs
    expect(freeInSeconds).toBe(cooling.length === 0 ? null : Math.max(1, Math.ceil(soonestMs / 1_000)))
  })
})

test('an order has every candidate that works, each once, and others only to be probed or as a last resort', () => {
  playing(({ candidates }, { trial }) => {
    const ids = candidates.map(idOf)
    expect(new Set(ids).size).toBe(ids.length)
    const standings = EVERYONE.map((one) => ({ id: idOf(one), ...trial.standing({ ...one, reason: '' }) }))
    const isFree = standings.filter(({ coolingUntilMs }) => coolingUntilMs === null)
    const working = isFree.filter(({ circuit }) => circuit === 'closed').map(({ id }) => id)
    const expected = working.length > 0 ? working : isFree.map(({ id }) => id)
    const listed = candidates.filter(({ reason }) => working.length === 0 || reason !== 'probe').map(idOf)
    expect(listed.toSorted()).toEqual(expected.toSorted())
    const isLastResort = candidates.some(({ reason }) => reason === 'last resort')
    if (working.length > 0) expect(isLastResort).toBe(false)
  })
})

test('at most one probe of a candidate is under way', () => {
  playing((order, { underWay }) => {
    const probed = underWay.filter(({ reason }) => reason === 'probe').map(idOf)
    for (const candidate of order.candidates) {
      if (candidate.reason === 'probe') expect(probed).not.toContain(idOf(candidate))
    }
    expect(new Set(probed).size).toBe(probed.length)
  })
})

test('better priorities come first among those that work, and own suppliers before all', () => {
  playing(({ candidates }) => {
    const [first] = candidates.filter(({ reason }) => reason.startsWith('score'))
    const working = candidates.filter(({ reason }) => !['probe', 'last resort'].includes(reason))
    if (first === undefined || working.some(({ reason }) => reason.endsWith('capacity left'))) return
    const hasOwn = working.some(({ route }) => route.supplier.source === 'byok')
    expect(working[0]?.route.supplier.source).toBe(hasOwn ? 'byok' : 'shared')
    const best = Math.min(...working.map(({ route }) => route.route.priority))
    if (!hasOwn) expect(working[0]?.route.route.priority).toBe(best)
  })
})

test('forgets unused entries', () => {
  const trial = new RouterTrial({ settings: { mostConversations: 10 } })
  for (let round = 0; round < 1_000; round += 1) {
    const modelId = `model-${round}`
    const [first] = trial.order(ROUTES, { modelId, conversation: modelId }).candidates
    if (first === undefined) throw new Error('nothing to try')
    trial.router.begin(first, modelId)
    trial.router.end({ candidate: first, modelId, result: ANSWERED })
    trial.router.remember(modelId, first)
    trial.pass(600)
  }
  // Seven candidates for each of the models of the last hour.
  expect(trial.router.size.candidates).toBeLessThanOrEqual(7 * EVERYONE.length)
  expect(trial.router.size.conversations).toBeLessThanOrEqual(10)
})
