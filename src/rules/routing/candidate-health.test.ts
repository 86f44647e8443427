import { describe, expect, test } from 'bun:test'
import { CandidateHealth, CredentialHealth } from './candidate-health.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { USUAL_ROUTING } from './routing-settings.ts'

const PARTS = { settings: USUAL_ROUTING, random: () => 0.5 }

function candidateOf(supplier: CircuitBreaker): CandidateHealth {
  return new CandidateHealth(supplier, new CredentialHealth(PARTS), PARTS)
}

const failure = (kind: 'server' | 'unreachable' | 'credential') =>
  ({ kind, status: null, retryAfterSeconds: null }) as const

describe('the circuits of supplier, credential and candidate', () => {
  test('are open when one is, and let through when the last does', () => {
    const health = candidateOf(new CircuitBreaker(PARTS))
    for (let round = 0; round < 3; round += 1) health.noteFailure(failure('server'), {}, 0)
    health.noteFailure(failure('credential'), {}, 0)
    expect(health.opensAgainAtMs).toBe(USUAL_ROUTING.refusedPauseMs)
    expect(health.circuitAt(1_000)).toBe('open')
    expect(health.isProbeFree(1_000)).toBe(false)
    expect(health.circuitAt(USUAL_ROUTING.refusedPauseMs)).toBe('half-open')
  })

  test('are probed together or not at all', () => {
    const supplier = new CircuitBreaker(PARTS)
    const [one, other] = [candidateOf(supplier), candidateOf(supplier)]
    for (let round = 0; round < 3; round += 1) one.noteFailure(failure('server'), {}, 0)
    const probe = {}
    one.circuit.begin(probe, 2_000)
    for (let round = 0; round < 3; round += 1) other.noteFailure(failure('unreachable'), {}, 2_000)
    expect(one.beginProbe({}, 5_000)).toBe(false)
    expect(supplier.isProbeFree(5_000)).toBe(true)
  })

  test('are not all blamed for a supplier that is known to be out of reach', () => {
    const supplier = new CircuitBreaker(PARTS)
    const [one, two, three] = [candidateOf(supplier), candidateOf(supplier), candidateOf(supplier)]
    for (const health of [one, two, three]) health.noteFailure(failure('unreachable'), {}, 0)
    for (let round = 0; round < 5; round += 1) {
      const probe = {}
      const atMs = supplier.opensAgainAtMs ?? 0
      expect(one.beginProbe(probe, atMs)).toBe(true)
      one.noteFailure(failure('unreachable'), probe, atMs)
      one.endProbe(probe)
    }
    two.noteWorking(100_000)
    expect([one, two, three].map(({ isClosed }) => isClosed)).toEqual([true, true, true])
  })
})

test('what went wrong before a pause is not held against a candidate after it', () => {
  const health = candidateOf(new CircuitBreaker(PARTS))
  for (let round = 0; round < 5; round += 1) {
    health.noteWorking(0)
    health.noteFailure(failure('server'), {}, 0)
  }
  expect(health.isClosed).toBe(false)
  health.noteWorking(1_000)
  health.noteFailure(failure('server'), {}, 1_000)
  expect(health.isClosed).toBe(true)
})
