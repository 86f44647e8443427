import { expect, test } from 'bun:test'
import type { HeaderFields } from '../../../wire/http-answer.ts'
import { samplingOf } from './open-telemetry.ts'
import { TraceContexts } from './trace-context.ts'

const NONE = headersOf({})
const CLIENT_TRACE = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}`

function headersOf(fields: Readonly<Record<string, string>>): HeaderFields {
  return new Headers(fields)
}

function contextsWith(sampler: string, samplerRatio = 1, tellsSuppliers = true) {
  return new TraceContexts({
    sampling: samplingOf({ sampler, samplerRatio }),
    readsParent: true,
    tellsSuppliers,
  })
}

function shareOf(sampler: string, ratio: number): number {
  const contexts = contextsWith(sampler, ratio)
  const sampled = Array.from({ length: 20_000 }, () => contexts.begin(NONE)).filter(
    ({ recording }) => recording !== null,
  )
  return sampled.length / 20_000
}

test('a ratio samples this share of the traces', () => {
  expect(shareOf('traceidratio', 0.1)).toBeWithin(0.08, 0.12)
  expect(shareOf('parentbased_traceidratio', 0.5)).toBeWithin(0.47, 0.53)
  expect(shareOf('traceidratio', 0)).toBe(0)
  expect(shareOf('traceidratio', 1e-17)).toBe(0)
  expect(shareOf('traceidratio', 1)).toBe(1)
  expect(shareOf('always_on', 0)).toBe(1)
  expect(shareOf('parentbased_always_off', 1)).toBe(0)
})

test('the same trace is sampled everywhere, at every higher ratio too', () => {
  for (let draw = 0; draw < 1_000; draw += 1) {
    const { traceId } = contextsWith('always_on').begin(NONE)
    const headers = headersOf({ traceparent: `00-${traceId}-${'cd'.repeat(8)}-00` })
    const sampled = [0.05, 0.3, 0.3, 0.8].map(
      (ratio) => contextsWith('traceidratio', ratio).begin(headers).recording !== null,
    )
    expect(sampled).toEqual(sampled.toSorted())
    expect(sampled[1]).toBe(sampled[2] as boolean)
  }
})

test('a sampler that follows its parent does as the client did', () => {
  const sampled = headersOf({ traceparent: `${CLIENT_TRACE}-01` })
  const skipped = headersOf({ traceparent: `${CLIENT_TRACE}-00` })
  expect(contextsWith('parentbased_always_off').begin(sampled).recording).not.toBeNull()
  expect(contextsWith('parentbased_always_on').begin(skipped).recording).toBeNull()
  expect(contextsWith('always_on').begin(skipped).recording).not.toBeNull()
})

test('suppliers are told whether the trace is sampled, unless they are told nothing', () => {
  const contexts = contextsWith('parentbased_always_on')
  const skipped = contexts.begin(headersOf({ traceparent: `${CLIENT_TRACE}-00` }))
  expect(contexts.beginAttempt(skipped).headers?.traceparent).toEndWith('-00')
  expect(contexts.beginAttempt(contexts.begin(NONE)).headers?.traceparent).toEndWith('-01')
  const silent = contextsWith('always_on', 1, false)
  const { headers, spanId } = silent.beginAttempt(silent.begin(NONE))
  expect(headers).toBeNull()
  expect(spanId).toMatch(/^[0-9a-f]{16}$/)
})
