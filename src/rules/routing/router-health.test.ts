import { describe, expect, test } from 'bun:test'
import { aCredential } from '../../vocabulary/testing/specimens.ts'
import type { AttemptVerdict } from './router.ts'
import { ANSWERED, failed, RouterTrial, routeOf } from './testing/router-trial.ts'

const TWO = [routeOf({ credentials: ['a'] }), routeOf({ credentials: ['b'], priority: 2 })]
const MIDDLING = () => 0.5

function trialWith(id: string, ...results: readonly AttemptVerdict[]): RouterTrial {
  const trial = new RouterTrial({ random: MIDDLING })
  trial.attempt(trial.candidate(TWO, id), ...results)
  return trial
}

const THRICE = [failed('server'), failed('server'), failed('server')]

describe('a candidate that fails', () => {
  test('is left out after three failures in a row, even of the best priority', () => {
    expect(trialWith('a', ...THRICE.slice(1)).ids(TWO)).toEqual(['a', 'b'])
    expect(trialWith('a', ...THRICE).ids(TWO)).toEqual(['b'])
  })

  test.each(['server', 'overloaded', 'malformed', 'timeout', 'unreachable'] as const)(
    'fails by %s',
    (kind) => {
      expect(trialWith('a', failed(kind), failed(kind), failed(kind)).ids(TWO)).toEqual(['b'])
    },
  )

  test.each(['input', 'context-length'] as const)(
    'does not fail by %s, which shows that it works',
    (kind) => {
      const trial = trialWith('a', ...THRICE.slice(1), failed(kind), ...THRICE.slice(1))
      expect(trial.ids(TWO)).toEqual(['a', 'b'])
    },
  )

  test('every other time is left out too, when there is enough to judge by', () => {
    const trial = trialWith('a')
    for (let round = 0; round < 4; round += 1) {
      trial.attempt(trial.candidate(TWO, 'a'), ANSWERED, failed('server'))
    }
    expect(trial.ids(TWO)).toEqual(['a', 'b'])
    trial.attempt(trial.candidate(TWO, 'a'), ANSWERED, failed('server'))
    expect(trial.ids(TWO)).toEqual(['b'])
  })

  test('with one model may be used for another', () => {
    const trial = trialWith('a', ...THRICE)
    expect(trial.ids(TWO, { modelId: 'model-2' })).toEqual(['a', 'b'])
  })
})

describe('a candidate whose pause is over', () => {
  function halfOpen(): RouterTrial {
    const trial = trialWith('a', ...THRICE)
    trial.pass(1)
    return trial
  }

  test('goes first in one order only', () => {
    const trial = halfOpen()
    const { candidates } = trial.order(TWO)
    expect(candidates.map(({ reason }) => reason)[0]).toBe('probe')
    expect(candidates.map(({ credential }) => credential.id)).toEqual(['a', 'b'])
    expect(trial.ids(TWO)).toEqual(['b'])
  })

  test('is not waited for much longer than the others take', () => {
    const trial = halfOpen()
    const [unknown] = trial.order(TWO).candidates
    expect(unknown?.patienceMs).toBeNull()
    for (const [firstByteMs, patienceMs] of [
      [100, 5_000],
      [20_000, 80_000],
    ] as const) {
      const slow = trialWith('a', ...THRICE)
      const [other] = slow.order(TWO).candidates
      if (other !== undefined) slow.attempt(other, { ...ANSWERED, firstByteMs })
      slow.pass(1)
      const [probe, next] = slow.order(TWO).candidates
      expect([probe?.reason, probe?.patienceMs]).toEqual(['probe', patienceMs])
      expect(next?.patienceMs).toBeNull()
    }
  })

  test('is promised to another when the first does not begin', () => {
    const trial = halfOpen()
    const [late] = trial.order(TWO).candidates
    trial.pass(2)
    const [next] = trial.order(TWO).candidates
    if (late === undefined || next === undefined) throw new Error('nothing to try')
    expect(next.reason).toBe('probe')
    expect(trial.begin(next)).toBe(true)
    expect(trial.begin(late)).toBe(false)
  })

  test('works again when it answers', () => {
    const trial = halfOpen()
    const [probe] = trial.order(TWO).candidates
    if (probe === undefined) throw new Error('nothing to try')
    trial.attempt(probe, ANSWERED)
    expect(trial.order(TWO).candidates[0]?.reason).toStartWith('score')
    expect(trial.standing(probe)).toMatchObject({ circuit: 'closed', opensAgainAtMs: null })
  })

  test('is left alone for longer when it fails', () => {
    const trial = halfOpen()
    const [probe] = trial.order(TWO).candidates
    if (probe === undefined) throw new Error('nothing to try')
    trial.attempt(probe, failed('server'))
    trial.pass(1.9)
    expect(trial.ids(TWO)).toEqual(['b'])
    trial.pass(0.1)
    expect(trial.ids(TWO)).toEqual(['a', 'b'])
  })

  test('is free for the next when the attempt was abandoned', () => {
    const trial = halfOpen()
    const [probe] = trial.order(TWO).candidates
    if (probe === undefined) throw new Error('nothing to try')
    trial.attempt(probe, { type: 'abandoned' })
    expect(trial.order(TWO).candidates[0]?.reason).toBe('probe')
  })

  test('of a worse priority waits until it would be used', () => {
    const trial = trialWith('b', ...THRICE)
    trial.pass(1)
    for (let round = 0; round < 3; round += 1) expect(trial.ids(TWO)).toEqual(['a', 'b'])
    const [, spare] = trial.order(TWO).candidates
    if (spare === undefined) throw new Error('nothing to try')
    expect(spare.reason).toBe('probe')
    expect(trial.begin(spare)).toBe(true)
    expect(trial.ids(TWO)).toEqual(['a'])
  })
})

describe('when nothing is known to work', () => {
  test('all are tried as a last resort, soonest to open first', () => {
    const trial = trialWith('b', ...THRICE)
    trial.pass(0.5)
    trial.attempt(trial.candidate(TWO, 'a'), ...THRICE)
    const { candidates } = trial.order(TWO)
    expect(candidates.map(({ credential, reason }) => [credential.id, reason])).toEqual([
      ['b', 'last resort'],
      ['a', 'last resort'],
    ])
    expect(candidates.every((candidate) => trial.begin(candidate))).toBe(true)
  })

  test('one that may be probed goes first, and an answer brings it back', () => {
    const trial = trialWith('b', ...THRICE)
    trial.attempt(trial.candidate(TWO, 'a'), ...THRICE)
    trial.pass(1)
    const [first] = trial.order(TWO).candidates
    if (first === undefined) throw new Error('nothing to try')
    expect(first.reason).toBe('probe')
    trial.begin(first)
    const [second] = trial.order(TWO).candidates
    expect([second?.credential.id === first.credential.id, second?.reason]).toEqual([false, 'probe'])
  })
})

describe('a rate-limited credential', () => {
  const shared = [routeOf({ supplier: 's', credentials: ['a', 'b'] })]

  test('is left out for as long as the supplier asks, to the second', () => {
    const trial = trialWith('a', failed('rate-limited', 7))
    expect(trial.order(TWO)).toMatchObject({ candidates: [{ credential: { id: 'b' } }], freeInSeconds: 7 })
    trial.pass(6.5)
    expect(trial.order(TWO).freeInSeconds).toBe(1)
    trial.pass(0.5)
    expect(trial.order(TWO).freeInSeconds).toBeNull()
    expect(trial.ids(TWO)).toEqual(['a', 'b'])
  })

  test('is left out for every model', () => {
    const trial = trialWith('a', failed('rate-limited', 7))
    expect(trial.ids(TWO, { modelId: 'model-2' })).toEqual(['b'])
  })

  test('does not take the other credentials of its supplier along, and opens no circuit', () => {
    const trial = new RouterTrial()
    const limited = trial.candidate(shared, 'a')
    for (let round = 0; round < 5; round += 1) trial.attempt(limited, failed('rate-limited', 1))
    expect(trial.ids(shared)).toEqual(['b'])
    expect(trial.standing(limited).circuit).toBe('closed')
  })

  test('is not tried even when there is nothing else', () => {
    const trial = trialWith('a', failed('rate-limited', 9))
    trial.attempt(trial.candidate(TWO, 'b'), failed('rate-limited', 4))
    expect(trial.order(TWO)).toEqual({ candidates: [], freeInSeconds: 4 })
  })

  test('is left alone for 5 s when nothing is said, and for longer each time up to 60 s', () => {
    const trial = trialWith('a')
    const pauses: (number | null)[] = []
    for (let round = 0; round < 6; round += 1) {
      trial.attempt(trial.candidate(TWO, 'a'), failed('rate-limited'))
      const { freeInSeconds } = trial.order(TWO)
      pauses.push(freeInSeconds)
      trial.pass(freeInSeconds ?? 0)
    }
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
    trial.attempt(trial.candidate(TWO, 'a'), ANSWERED, failed('rate-limited'))
    expect(trial.order(TWO).freeInSeconds).toBe(5)
  })

  test('that refuses a burst refuses once', () => {
    const refusal = failed('rate-limited')
    expect(trialWith('a', refusal, refusal, refusal).order(TWO).freeInSeconds).toBe(5)
  })

  test('is tried once an hour when the supplier asks for days', () => {
    expect(trialWith('a', failed('rate-limited', 86_400 * 30)).order(TWO).freeInSeconds).toBe(3_600)
  })

  test('may also be one whose supplier is overloaded and says for how long', () => {
    expect(trialWith('a', failed('overloaded', 3)).order(TWO).freeInSeconds).toBe(3)
    expect(trialWith('a', failed('overloaded')).order(TWO).freeInSeconds).toBeNull()
  })
})

describe('what the supplier says is left', () => {
  const said = (
    requests: number | null,
    tokens: number | null,
    resetSeconds: number | null,
  ): AttemptVerdict => ({
    ...ANSWERED,
    remaining: { requests, tokens, resetSeconds },
  })

  test.each([
    [0, null],
    [null, 0],
  ])(
    'when it is nothing (%p requests, %p tokens), leaves the credential out until the reset',
    (requests, tokens) => {
      const trial = trialWith('a', said(requests, tokens, 12))
      expect(trial.order(TWO)).toMatchObject({ candidates: [{ credential: { id: 'b' } }], freeInSeconds: 12 })
      trial.pass(12)
      expect(trial.ids(TWO)).toEqual(['a', 'b'])
    },
  )

  test('when it is not enough for this prompt, puts the candidate behind all others', () => {
    const trial = trialWith('a', said(100, 500, 60))
    expect(trial.ids(TWO, { promptTokens: 501 })).toEqual(['b', 'a'])
    expect(trial.order(TWO, { promptTokens: 501 }).candidates[1]?.reason).toEndWith('little capacity left')
    expect(trial.ids(TWO, { promptTokens: 500 })).toEqual(['a', 'b'])
    trial.pass(60)
    expect(trial.ids(TWO, { promptTokens: 501 })).toEqual(['a', 'b'])
  })

  test('is used up by what begins after it was said', () => {
    const trial = trialWith('a', said(2, null, 60))
    trial.attempt(trial.candidate(TWO, 'a'), ANSWERED)
    expect(trial.ids(TWO)).toEqual(['a', 'b'])
    trial.attempt(trial.candidate(TWO, 'a'), ANSWERED)
    expect(trial.ids(TWO)).toEqual(['b', 'a'])
    expect(trial.standing(trial.candidate(TWO, 'a')).supplierRemaining).toEqual({ requests: 0, tokens: null })
  })
})

describe('a credential the supplier refuses', () => {
  test('is left out for every model until its long pause is over', () => {
    const trial = trialWith('a', failed('credential'))
    for (const modelId of ['model-1', 'model-2']) expect(trial.ids(TWO, { modelId })).toEqual(['b'])
    trial.pass(599)
    expect(trial.ids(TWO)).toEqual(['b'])
    trial.pass(1)
    expect(trial.ids(TWO)).toEqual(['a', 'b'])
  })

  test('is another one as soon as it has a new secret', () => {
    const trial = trialWith('a', failed('credential'))
    const [first, second] = TWO
    if (first === undefined || second === undefined) throw new Error('two routes expected')
    const renewed = { ...first, credentials: [aCredential({ id: 'a', secret: 'renewed' })] }
    expect(trial.ids([renewed, second])).toEqual(['a', 'b'])
  })

  test('is used again when an operator has seen to it', () => {
    const trial = trialWith('a', failed('credential'))
    trial.router.forgetCredential({ supplierId: 'of-a', credentialId: 'a' })
    expect(trial.ids(TWO)).toEqual(['a', 'b'])
  })
})

describe('a supplier that cannot be reached', () => {
  const dead = routeOf({ supplier: 'dead', credentials: ['a', 'b', 'c', 'd', 'e'] })
  const routes = [dead, routeOf({ credentials: ['x'], priority: 2 })]

  test.each(['unreachable', 'timeout'] as const)('is left alone with all its credentials: %s', (kind) => {
    const trial = new RouterTrial({ random: MIDDLING })
    for (const id of ['a', 'b', 'c']) trial.attempt(trial.candidate(routes, id), failed(kind))
    expect(trial.ids(routes)).toEqual(['x'])
    expect(trial.ids(routes, { modelId: 'model-2' })).toEqual(['x'])
  })

  test('costs one request for each probe, not one for each credential', () => {
    const trial = new RouterTrial({ random: MIDDLING })
    let failures = 0
    for (let second = 0; second < 600; second += 1) {
      const [first] = trial.order(routes).candidates
      if (first === undefined) throw new Error('nothing to try')
      const isDead = first.route === dead
      if (isDead) failures += 1
      trial.attempt(first, isDead ? failed('unreachable') : ANSWERED)
      trial.pass(1)
    }
    // Three to notice, probes after 1, 2, 4, 8, 16 and 32 s, and one a minute after that.
    expect(failures).toBe(3 + 6 + 8)
  })

  test('is back with all its credentials when one of them is answered', () => {
    const trial = new RouterTrial({ random: MIDDLING })
    for (const id of ['a', 'b', 'c']) trial.attempt(trial.candidate(routes, id), failed('unreachable'))
    trial.pass(1)
    const [probe] = trial.order(routes).candidates
    if (probe === undefined) throw new Error('nothing to try')
    trial.attempt(probe, ANSWERED)
    expect(trial.ids(routes).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'x'])
  })

  test('is known by silence, not by bad answers', () => {
    const trial = new RouterTrial({ random: MIDDLING })
    for (const id of ['a', 'b', 'c']) trial.attempt(trial.candidate(routes, id), failed('server'))
    expect(trial.ids(routes).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'x'])
  })
})

describe('the standing of a candidate', () => {
  test('is good before anything is known', () => {
    const trial = new RouterTrial()
    expect(trial.standing(trial.candidate(TWO, 'a'))).toEqual({
      circuit: 'closed',
      opensAgainAtMs: null,
      coolingUntilMs: null,
      latencyMs: null,
      successRate: 1,
      supplierRemaining: null,
    })
  })

  test('tells what has happened', () => {
    const trial = trialWith('a', { ...ANSWERED, firstByteMs: 120 }, ...THRICE, failed('rate-limited', 5))
    const standing = trial.standing(trial.candidate(TWO, 'a'))
    expect(standing).toMatchObject({
      circuit: 'open',
      opensAgainAtMs: trial.nowMs + trial.wallAheadMs + 1_000,
      coolingUntilMs: trial.nowMs + trial.wallAheadMs + 5_000,
      latencyMs: 120,
    })
    expect(standing.successRate).toBe(5 / 8)
    trial.pass(1)
    expect(trial.standing(trial.candidate(TWO, 'a')).circuit).toBe('half-open')
  })
})
