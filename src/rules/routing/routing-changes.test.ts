import { beforeEach, expect, test } from 'bun:test'
import type { Credential } from '../../vocabulary/supply.ts'
import type { Candidate } from './candidate.ts'
import { type AttemptVerdict, Router } from './router.ts'
import type { RoutingChange } from './supply-health.ts'
import { ANSWERED, failed, routeOf } from './testing/router-trial.ts'

const MODEL = 'model-1'
const ROUTES = [routeOf({ credentials: ['a'] }), routeOf({ credentials: ['b'], priority: 2 })]
const clock = { timeMs: 0, nowMs: () => clock.timeMs, monotonicMs: () => clock.timeMs }
let published: RoutingChange[]
let here: Router
let there: Router

// The settings of both nodes are the usual ones; without chance the numbers are plain.
beforeEach(() => {
  clock.timeMs = 1_000_000
  published = []
  here = new Router({ clock, random: () => 0.5, publish: (change) => void published.push(change) })
  there = new Router({ clock, random: () => 0.5 })
})

const EQUALS = [routeOf({ credentials: ['a'] }), routeOf({ credentials: ['b'] })]

const question = (conversation: string | null = null) => ({
  modelId: MODEL,
  // A pin decides among equals; it does not overrule an operator's priorities.
  routes: conversation === null ? ROUTES : EQUALS,
  clientFormat: 'chat-completion' as const,
  conversation,
  promptTokens: 10,
  outputTokens: 10,
})

const idsOf = (router: Router, conversation: string | null = null) =>
  router.order(question(conversation)).candidates.map(({ credential }) => credential.id)

function candidate(router: Router, id: string): Candidate {
  const found = router.order(question()).candidates.find(({ credential }) => credential.id === id)
  if (found === undefined) throw new Error(`${id} is not among the candidates`)
  return found
}

function attempt(id: string, ...results: readonly AttemptVerdict[]): void {
  const one = candidate(here, id)
  for (const result of results) {
    here.begin(one, MODEL)
    here.end({ candidate: one, modelId: MODEL, result })
  }
}

function passOn(): void {
  const credentials = new Map(ROUTES.flatMap(({ credentials: some }) => some.map((each) => [each.id, each])))
  for (const change of published.splice(0)) {
    if (change.type === 'pinned') there.learnPin(change.conversation, change)
    else there.learn(change, credentials.get(change.credentialId) as Credential)
  }
}

test('a credential that has to cool is left alone by other nodes for as long', () => {
  attempt('a', failed('rate-limited', 30))
  expect(published).toEqual([{ type: 'cooling', supplierId: 'of-a', credentialId: 'a', forMs: 30_000 }])
  passOn()
  expect(idsOf(there)).toEqual(['b'])
  clock.timeMs += 30_000
  expect(idsOf(there)).toEqual(['a', 'b'])
})

test('an open circuit is open on other nodes, and closes there when it closes here', () => {
  attempt('a', failed('server'), failed('server'))
  expect(published).toEqual([])
  attempt('a', failed('server'))
  expect(published).toMatchObject([{ type: 'circuit-opened', modelId: MODEL, credentialId: 'a' }])
  passOn()
  expect(idsOf(there)).toEqual(['b'])
  clock.timeMs += 2_000
  attempt('a', ANSWERED)
  expect(published).toMatchObject([{ type: 'circuit-closed', modelId: MODEL, credentialId: 'a' }])
  passOn()
  expect(idsOf(there)).toEqual(['a', 'b'])
})

test('answers that change nothing are not published', () => {
  attempt('a', ANSWERED, ANSWERED)
  expect(published).toEqual([])
})

test('a conversation stays with its credential on every node, and is published again before it is forgotten', () => {
  here.remember('talk', candidate(here, 'b'))
  here.remember('talk', candidate(here, 'b'))
  expect(published).toEqual([
    { type: 'pinned', conversation: 'talk', supplierId: 'of-b', credentialId: 'b', forMs: 3_600_000 },
  ])
  passOn()
  expect(idsOf(there, 'talk')[0]).toBe('b')
  clock.timeMs += 1_800_000
  here.remember('talk', candidate(here, 'b'))
  expect(published).toHaveLength(1)
})
