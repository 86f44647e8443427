import { describe, expect, test } from 'bun:test'
import type { UsageRow } from '../../api/wire.ts'
import { chartUsage, sumUsage, totalsByGroup } from './usage-points.ts'

function row(at: string, group: string, some: Partial<UsageRow> = {}): UsageRow {
  return {
    at,
    group,
    rest: false,
    requests: 1,
    failed: 0,
    input: 10,
    cache_read: 0,
    cache_write: 0,
    output: 5,
    images: 0,
    amount: '0.1',
    first_byte_ms_avg: 100,
    duration_ms_avg: 200,
    ...some,
  }
}

const SPELL = { from: '2026-11-01T00:00:00Z', to: '2026-11-03T10:00:00Z', granularity: 'day' } as const
const nameOf = (group: string | null) => group ?? 'none'

describe('chartUsage', () => {
  test('shows requests that were refused on arrival as errors of their own', () => {
    const rows = [row('2026-11-01T00:00:00Z', 'gpt-5', { failed: 1 })]
    const refusal = { code: 'rate_limit_exceeded', last_at: '2026-11-02T09:00:00Z', count: 3 }
    const refusals = [
      { ...refusal, starts_at: '2026-11-02T00:00:00Z' },
      { ...refusal, code: 'model_not_found', starts_at: '2026-11-02T00:00:00Z', count: 2 },
    ]
    const { points, series } = chartUsage({ rows, spell: SPELL, metric: 'errors', nameOf, refusals })
    expect(series.map(({ label }) => label)).toEqual(['gpt-5', 'Refused on arrival'])
    expect(points.map(({ s0, refused }) => [s0, refused])).toEqual([
      [1, 0],
      [0, 5],
      [0, 0],
    ])
    const spend = chartUsage({ rows, spell: SPELL, metric: 'spend', nameOf, refusals })
    expect(spend.series.map(({ label }) => label)).toEqual(['gpt-5'])
  })

  test('has a point for each day, with 0 for empty days', () => {
    const rows = [
      row('2026-11-01T00:00:00Z', 'gpt-4.1'),
      row('2026-11-03T00:00:00Z', 'gpt-4.1', { amount: '2' }),
    ]
    const { points, series } = chartUsage({ rows, spell: SPELL, metric: 'spend', nameOf })
    expect(series).toEqual([{ name: 's0', label: 'gpt-4.1' }])
    expect(points).toEqual([
      { at: '2026-11-01T00:00:00.000Z', s0: 0.1 },
      { at: '2026-11-02T00:00:00.000Z', s0: 0 },
      { at: '2026-11-03T00:00:00.000Z', s0: 2 },
    ])
  })

  test('has no latency without requests', () => {
    const rows = [row('2026-11-02T00:00:00Z', 'a', { first_byte_ms_avg: 120 })]
    const { points } = chartUsage({ rows, spell: SPELL, metric: 'latency', nameOf })
    expect(points.map((point) => point.s0)).toEqual([undefined, 120, undefined])
  })

  test('combines all but the most expensive groups', () => {
    const rows = Array.from({ length: 12 }, (_, index) =>
      row('2026-11-02T00:00:00Z', `m${index}`, { amount: String(index + 1), requests: 2 }),
    )
    const { points, series } = chartUsage({ rows, spell: SPELL, metric: 'requests', nameOf })
    expect(series.map(({ label }) => label)).toEqual(['m11', 'm10', 'm9', 'm8', 'm7', 'm6', 'm5', 'Others'])
    expect(points[1]).toMatchObject({ s0: 2, rest: 10 })
  })

  test('has what the gateway combined among the others, whatever its sum', () => {
    const rows = [
      row('2026-11-02T00:00:00Z', 'a', { requests: 2 }),
      row('2026-11-02T00:00:00Z', 'b'),
      { ...row('2026-11-02T00:00:00Z', '', { amount: '9', requests: 7 }), group: null, rest: true },
      { ...row('2026-11-02T00:00:00Z', '', { requests: 4 }), group: null },
    ]
    const { points, series } = chartUsage({ rows, spell: SPELL, metric: 'requests', nameOf })
    expect(series.map(({ label }) => label)).toEqual(['none', 'a', 'b', 'Others'])
    expect(points[1]).toMatchObject({ s0: 4, s1: 2, s2: 1, rest: 7 })
    expect(totalsByGroup(rows).map(({ group, isRest }) => [group, isRest])).toEqual([
      [null, false],
      ['a', false],
      ['b', false],
      [null, true],
    ])
  })

  test('does not combine a single group', () => {
    const rows = Array.from({ length: 8 }, (_, index) => row('2026-11-02T00:00:00Z', `m${index}`))
    const { series } = chartUsage({ rows, spell: SPELL, metric: 'requests', nameOf })
    expect(series).toHaveLength(8)
    expect(series.some(({ label }) => label === 'Others')).toBe(false)
  })
})

test('weighs latencies by requests and ignores requests without one', () => {
  const rows = [
    row('2026-11-01T00:00:00Z', 'a', { requests: 3, first_byte_ms_avg: 100 }),
    row('2026-11-01T00:00:00Z', 'b', { requests: 1, first_byte_ms_avg: 500 }),
    row('2026-11-01T00:00:00Z', 'c', { requests: 9, failed: 9, first_byte_ms_avg: null }),
  ]
  expect(sumUsage(rows)).toMatchObject({ requests: 13, failed: 9, amount: '0.3', first_byte_ms_avg: 200 })
  expect(sumUsage([])).toMatchObject({ requests: 0, amount: '0', first_byte_ms_avg: null })
})

test('orders groups by cost, then by requests', () => {
  const rows = [
    row('2026-11-01T00:00:00Z', 'free', { amount: '0', requests: 5 }),
    row('2026-11-01T00:00:00Z', 'freer', { amount: '0', requests: 9 }),
    row('2026-11-01T00:00:00Z', 'dear', { amount: '3' }),
  ]
  expect(totalsByGroup(rows).map(({ group }) => group)).toEqual(['dear', 'freer', 'free'])
})
