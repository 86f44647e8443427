import { describe, expect, test } from 'bun:test'
import { CircuitBreaker } from './circuit-breaker.ts'
import { USUAL_ROUTING } from './routing-settings.ts'

/** A middling draw leaves the pauses as they are: 1, 2, 4 … 60 seconds. */
function breaker(random = () => 0.5): CircuitBreaker {
  return new CircuitBreaker({ settings: USUAL_ROUTING, random })
}

function opened(nowMs = 0, random?: () => number): CircuitBreaker {
  const circuit = breaker(random)
  for (let failure = 0; failure < 3; failure += 1) circuit.fail({}, nowMs)
  return circuit
}

function failProbe(circuit: CircuitBreaker): number {
  const atMs = circuit.opensAgainAtMs ?? 0
  const attempt = {}
  circuit.begin(attempt, atMs)
  circuit.fail(attempt, atMs)
  circuit.release(attempt)
  return (circuit.opensAgainAtMs ?? 0) - atMs
}

describe('a circuit', () => {
  test('opens at the third failure in a row', () => {
    const circuit = breaker()
    circuit.fail({}, 0)
    circuit.fail({}, 0)
    expect(circuit.stateAt(0)).toBe('closed')
    circuit.fail({}, 0)
    expect(circuit.stateAt(0)).toBe('open')
  })

  test('forgets failures at an answer', () => {
    const circuit = breaker()
    for (let round = 0; round < 5; round += 1) {
      circuit.fail({}, 0)
      circuit.fail({}, 0)
      circuit.succeed(0)
    }
    expect(circuit.isClosed).toBe(true)
  })

  test('is half-open when its pause is over', () => {
    const circuit = opened()
    expect([999, 1_000].map((atMs) => circuit.stateAt(atMs))).toEqual(['open', 'half-open'])
  })

  test('pauses longer after each failed probe, up to a minute', () => {
    const circuit = opened()
    const pauses = Array.from({ length: 8 }, () => failProbe(circuit))
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  test('shakes its pauses within their bounds', () => {
    expect(opened(0, () => 0).opensAgainAtMs).toBe(1_000)
    expect(opened(0, () => 0.999).opensAgainAtMs).toBeCloseTo(1_249.5)
    expect(failProbe(opened(0, () => 0))).toBe(1_500)
  })

  test('closes when the probe is answered', () => {
    const circuit = opened()
    circuit.begin({}, 1_000)
    circuit.succeed(1_000)
    expect(circuit.stateAt(1_000)).toBe('closed')
    expect(circuit.opensAgainAtMs).toBeNull()
  })

  test('that keeps failing soon after it closed goes on with longer pauses', () => {
    const circuit = opened()
    circuit.succeed(1_000)
    for (let failure = 0; failure < 3; failure += 1) circuit.fail({}, 2_000)
    expect(circuit.opensAgainAtMs).toBe(4_000)
    circuit.succeed(5_000)
    for (let failure = 0; failure < 3; failure += 1) circuit.fail({}, 65_000)
    expect(circuit.opensAgainAtMs).toBe(66_000)
  })
})

describe('the probe of a half-open circuit', () => {
  test('is for one attempt', () => {
    const circuit = opened()
    const first = {}
    expect(circuit.begin(first, 1_000)).toBe(true)
    expect(circuit.begin({}, 1_000)).toBe(false)
    expect(circuit.isProbeFree(1_000_000)).toBe(false)
  })

  test('is free again when the attempt says nothing', () => {
    const circuit = opened()
    const first = {}
    circuit.begin(first, 1_000)
    circuit.release({})
    expect(circuit.isProbeFree(1_000)).toBe(false)
    circuit.release(first)
    expect(circuit.isProbeFree(1_000)).toBe(true)
  })

  test('that was promised is kept for a while, and only for that attempt', () => {
    const circuit = opened()
    const promised = {}
    circuit.lease(promised, 1_000)
    expect(circuit.begin({}, 2_999)).toBe(false)
    expect(circuit.begin(promised, 2_999)).toBe(true)
  })

  test('that was promised and not begun goes to another', () => {
    const circuit = opened()
    const promised = {}
    circuit.lease(promised, 1_000)
    expect(circuit.begin({}, 3_000)).toBe(true)
    expect(circuit.begin(promised, 3_000)).toBe(false)
  })

  test('stays taken until its attempt has ended, even when others close and open the circuit', () => {
    const circuit = opened()
    const probe = {}
    circuit.begin(probe, 1_000)
    circuit.succeed(1_000)
    circuit.openFor(1_000, 1_000)
    expect(circuit.begin({}, 2_000)).toBe(false)
    circuit.release(probe)
    expect(circuit.begin({}, 2_000)).toBe(true)
  })

  test('is not decided by the failure of an older attempt', () => {
    const circuit = opened()
    const probe = {}
    circuit.begin(probe, 1_000)
    circuit.fail({}, 1_500)
    expect(circuit.opensAgainAtMs).toBe(1_000)
    expect(circuit.isProbeFree(1_500)).toBe(false)
  })
})
