import { describe, expect, test } from 'bun:test'
import { ANSWERED, failed, RouterTrial, routeOf } from './testing/router-trial.ts'

const ONE = [routeOf({ credentials: ['a'] })]
const TWO_MODELS_ONE_SUPPLIER = { modelId: 'model-2' }
const STREAMING = { ...ANSWERED, isStreaming: true } as const

function first(trial: RouterTrial, question: object = {}) {
  const [candidate] = trial.order(ONE, question).candidates
  if (candidate === undefined) throw new Error('nothing to try')
  return candidate
}

function hung(times: number): RouterTrial {
  const trial = new RouterTrial({ random: () => 0.5 })
  for (let round = 0; round < times; round += 1) trial.attempt(first(trial), failed('timeout'))
  return trial
}

describe('a sole supplier that hangs', () => {
  test('is waited for as long as usual until it has done so twice', () => {
    expect(first(hung(1)).patienceMs).toBeNull()
    expect(first(hung(2)).patienceMs).toBe(30_000)
  })

  test('is waited for twice its slowest recent answer when that is longer', () => {
    const trial = new RouterTrial({ random: () => 0.5 })
    trial.attempt(first(trial), { ...ANSWERED, firstByteMs: 40_000 }, { ...ANSWERED, firstByteMs: 100 })
    trial.attempt(first(trial), failed('timeout'), failed('timeout'))
    expect(first(trial).patienceMs).toBe(2 * 40_000 * 0.99)
  })

  test('is waited for less by requests for its other models too', () => {
    expect(first(hung(2), TWO_MODELS_ONE_SUPPLIER).patienceMs).toBe(30_000)
  })

  test('is given its usual time by one request at a time once its pause is over', () => {
    const trial = hung(3)
    trial.pass(60)
    const probe = first(trial)
    expect([probe.reason, probe.patienceMs]).toEqual(['probe', null])
    trial.begin(probe)
    const next = first(trial)
    expect([next.reason, next.patienceMs]).toEqual(['last resort', 30_000])
  })

  test('is waited for as long as usual after one answer', () => {
    const trial = hung(5)
    trial.attempt(first(trial), ANSWERED)
    expect([first(trial).reason, first(trial).patienceMs]).toEqual(['only candidate', null])
  })
})

describe('a circuit that is tried with a stream', () => {
  function probed() {
    const trial = new RouterTrial({ random: () => 0.5 })
    trial.attempt(first(trial), failed('server'), failed('server'), failed('server'))
    trial.pass(1)
    const probe = first(trial)
    trial.begin(probe)
    trial.end(probe, STREAMING)
    return { trial, probe, begunAtMs: trial.nowMs }
  }
  const end = ({ trial, probe, begunAtMs }: ReturnType<typeof probed>, result: object) =>
    trial.router.endStream({ candidate: probe, modelId: 'model-1', begunAtMs, result } as Parameters<
      RouterTrial['router']['endStream']
    >[0])

  test('stays open for others until the answer has ended well', () => {
    const tried = probed()
    expect(tried.trial.standing(tried.probe).circuit).toBe('half-open')
    expect(first(tried.trial).reason).toBe('last resort')
    end(tried, { type: 'completed' })
    expect(tried.trial.standing(tried.probe).circuit).toBe('closed')
  })

  test('opens again for longer when the answer breaks off', () => {
    const tried = probed()
    end(tried, failed('malformed'))
    tried.trial.pass(1.9)
    expect(tried.trial.standing(tried.probe).circuit).toBe('open')
  })

  test('is left for the next request to try when the client goes away', () => {
    const tried = probed()
    end(tried, { type: 'abandoned' })
    expect(tried.trial.standing(tried.probe).circuit).toBe('half-open')
    expect(first(tried.trial).reason).toBe('probe')
  })

  test('is tried by another request when a client takes its answer slowly', () => {
    const tried = probed()
    tried.trial.pass(29)
    expect(first(tried.trial).reason).toBe('last resort')
    tried.trial.pass(1)
    expect(first(tried.trial).reason).toBe('probe')
  })

  test('opens after three streams in a row that broke off, whatever began in between', () => {
    const trial = new RouterTrial({ random: () => 0.5 })
    for (let round = 0; round < 3; round += 1) {
      const candidate = first(trial)
      trial.begin(candidate)
      trial.end(candidate, STREAMING)
      const ended = { candidate, modelId: 'model-1', begunAtMs: trial.nowMs }
      trial.router.endStream({ ...ended, result: { type: 'failed', failure: FAILURE } })
    }
    expect(trial.standing(first(trial)).circuit).toBe('open')
  })

  test('is not closed by the end of an answer that began before it opened', () => {
    const trial = new RouterTrial({ random: () => 0.5 })
    const early = first(trial)
    trial.begin(early)
    trial.end(early, STREAMING)
    const begunAtMs = trial.nowMs
    trial.pass(1)
    trial.attempt(first(trial), failed('server'), failed('server'), failed('server'))
    trial.router.endStream({ candidate: early, modelId: 'model-1', begunAtMs, result: { type: 'completed' } })
    expect(trial.standing(early).circuit).toBe('open')
  })
})

const FAILURE = { kind: 'malformed', status: null, retryAfterSeconds: null } as const

test('what a client asked for and was denied, and what this machine lacks, is no failure of the candidate', () => {
  const trial = new RouterTrial({ random: () => 0.5 })
  for (const kind of ['denied', 'local'] as const)
    trial.attempt(first(trial), failed(kind), failed(kind), failed(kind), failed(kind))
  expect(trial.standing(first(trial))).toMatchObject({ circuit: 'closed', successRate: 1 })
})
