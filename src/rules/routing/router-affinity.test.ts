import { describe, expect, test } from 'bun:test'
import { ANSWERED, failed, RouterTrial, routeOf, seeded } from './testing/router-trial.ts'

const FIVE = ['a', 'b', 'c', 'd', 'e']

/** Every turn of every conversation, in an order drawn at random, as the credentials that answered it. */
function converse(seed: number, secondsBetween: number): Map<string, string[]> {
  const random = seeded(seed)
  const trial = new RouterTrial({ random, settings: { explorationShare: 0.02 } })
  const routes = [routeOf({ supplier: 's', credentials: FIVE })]
  const conversations = Array.from({ length: 50 }, (_, index) => `conversation-${index}`)
  const turns = conversations.flatMap((name) => Array.from({ length: 20 }, () => ({ name, draw: random() })))
  const served = new Map<string, string[]>()
  for (const { name } of turns.sort((one, other) => one.draw - other.draw)) {
    const [first] = trial.order(routes, { conversation: name }).candidates
    if (first === undefined) throw new Error('nothing to try')
    trial.attempt(first, { ...ANSWERED, firstByteMs: 50 + 100 * random() })
    trial.router.remember(name, first)
    trial.pass(secondsBetween * random())
    served.set(name, [...(served.get(name) ?? []), first.credential.id])
  }
  return served
}

describe('50 conversations of 20 turns over 5 credentials', () => {
  test.each([
    [1, 0],
    [2, 0.01],
    [3, 1],
    [4, 5],
    [5, 20],
  ])('seed %p, up to %p s apart: stay where they are, and the load stays even', (seed, secondsBetween) => {
    const served = [...converse(seed, secondsBetween).values()]
    const kept = served.flatMap(([home, ...later]) => later.map((id) => id === home))
    expect(kept.filter((isKept) => isKept).length / kept.length).toBeGreaterThan(0.95)
    const loads = FIVE.map((id) => served.flat().filter((other) => other === id).length)
    for (const load of loads) expect(Math.abs(load - 200) / 200).toBeLessThanOrEqual(0.15)
  })
})

describe('a conversation', () => {
  const routes = [routeOf({ supplier: 's', credentials: FIVE })]
  const turn = { conversation: 'one' }

  function pinnedTo(id: string): RouterTrial {
    const trial = new RouterTrial()
    trial.router.remember('one', trial.candidate(routes, id))
    return trial
  }

  test('stays with who answered it, however loaded, and says so', () => {
    const trial = pinnedTo('c')
    for (let round = 0; round < 100; round += 1) {
      const [first] = trial.order(routes, turn).candidates
      expect([first?.credential.id, first?.reason]).toEqual(['c', 'affinity'])
    }
    expect(trial.ids(routes)[0]).not.toBe('c')
  })

  test('moves while its credential is cooling, and stays where it went', () => {
    const trial = pinnedTo('c')
    trial.attempt(trial.candidate(routes, 'c'), failed('rate-limited', 10))
    const [next] = trial.order(routes, turn).candidates
    if (next === undefined) throw new Error('nothing to try')
    expect(next.credential.id).not.toBe('c')
    trial.router.remember('one', next)
    trial.pass(10)
    expect(trial.ids(routes, turn)[0]).toBe(next.credential.id)
  })

  test('is forgotten after an hour', () => {
    const trial = pinnedTo('c')
    trial.pass(3_600)
    expect(trial.order(routes, turn).candidates.map(({ reason }) => reason)).not.toContain('affinity')
  })

  test('does not hold on to a worse priority once a better one works', () => {
    const both = [routeOf({ credentials: ['first'] }), routeOf({ credentials: ['second'], priority: 2 })]
    const trial = new RouterTrial()
    trial.router.remember('one', trial.candidate(both, 'second'))
    expect(trial.ids(both, turn)).toEqual(['first', 'second'])
  })
})
