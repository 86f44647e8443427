import { expect, test } from 'bun:test'
import type { Attempt } from '../../api/wire.ts'
import { admissionMs, layAxis, layTimeline } from './lay-timeline.ts'

function attempt(startedMs: number, some: Partial<Attempt> = {}): Attempt {
  return {
    supplier: 'acme',
    reason: 'priority 1',
    result: 'answered',
    status: 200,
    failure: null,
    started_at: new Date(Date.parse('2026-11-15T12:00:00Z') + startedMs).toISOString(),
    first_byte_ms: null,
    duration_ms: null,
    ...some,
  }
}

const REQUEST = { started_at: '2026-11-15T12:00:00Z', duration_ms: 1_000 }

test('ends a failed attempt at its failure and the successful one with the request', () => {
  const rows = layTimeline({
    ...REQUEST,
    attempts: [
      attempt(10, { result: 'failed', duration_ms: 90 }),
      attempt(250, { first_byte_ms: 100, duration_ms: 100 }),
    ],
  })
  expect(rows.map(({ startMs, endMs, firstByteMs }) => [startMs, endMs, firstByteMs])).toEqual([
    [10, 100, null],
    [250, 1_000, 350],
  ])
})

test('extends an attempt without duration until the next one', () => {
  const rows = layTimeline({ ...REQUEST, attempts: [attempt(0, { result: 'failed' }), attempt(400)] })
  expect(rows.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [0, 400],
    [400, 1_000],
  ])
})

test('keeps attempts within the request despite clock differences', () => {
  const [row] = layTimeline({ ...REQUEST, attempts: [attempt(-50, { first_byte_ms: 5_000 })] })
  expect(row).toMatchObject({ startMs: 0, endMs: 1_000, firstByteMs: 1_000 })
})

test('has round times on its axis, from the start to at most the end', () => {
  expect(layAxis(1_000).map(({ ms }) => ms)).toEqual([0, 200, 400, 600, 800, 1_000])
  expect(layAxis(1_730).map(({ ms }) => ms)).toEqual([0, 500, 1_000, 1_500])
  expect(layAxis(3).map(({ ms }) => ms)).toEqual([0, 1, 2, 3])
  expect(layAxis(0)).toEqual([{ ms: 0, at: 0 }])
})

test('tells how long the admission took', () => {
  expect(admissionMs(layTimeline({ ...REQUEST, attempts: [attempt(12)] }), REQUEST)).toBe(12)
  expect(admissionMs([], REQUEST)).toBe(1_000)
})
