import { describe, expect, test } from 'bun:test'
import { keepCounts, type Readings, renderReadings, sumReadings } from './readings.ts'

const ONE: Readings = {
  turnpike_http_requests_total: { 'status="200"': 2, 'status="429"': 1 },
  turnpike_duration_seconds: { 'model="m",supplier="s"': { counts: [1, 0, 2], sum: 3 } },
  turnpike_live_streams: { '': 3 },
  turnpike_journal_oldest_seconds: { '': 5 },
  turnpike_model_candidates: { 'model="m"': 2 },
}
const OTHER: Readings = {
  turnpike_http_requests_total: { 'status="200"': 5 },
  turnpike_duration_seconds: { 'model="m",supplier="s"': { counts: [1, 1, 1], sum: 4.5 } },
  turnpike_live_streams: { '': 4 },
  turnpike_journal_oldest_seconds: { '': 2 },
  turnpike_model_candidates: { 'model="m"': 0 },
}

describe('readings of several processes', () => {
  test('are added up, or the largest or smallest counts', () => {
    expect(sumReadings([ONE, OTHER])).toEqual({
      turnpike_http_requests_total: { 'status="200"': 7, 'status="429"': 1 },
      turnpike_duration_seconds: { 'model="m",supplier="s"': { counts: [2, 1, 3], sum: 7.5 } },
      turnpike_live_streams: { '': 7 },
      turnpike_journal_oldest_seconds: { '': 5 },
      turnpike_model_candidates: { 'model="m"': 0 },
    })
  })

  test('keep their counts and lose their gauges when a process ends', () => {
    expect(Object.keys(keepCounts(ONE))).toEqual([
      'turnpike_http_requests_total',
      'turnpike_duration_seconds',
    ])
  })
})

test('the text has cumulative buckets, escaped labels and help without Markdown', () => {
  const text = renderReadings({
    turnpike_errors_total: { 'code="x"': 1 },
    turnpike_event_loop_lag_seconds: { '': { counts: [1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4], sum: 0.5 } },
    turnpike_held_usdt: { '': 0.000000007 },
  })
  expect(text).toContain('# HELP turnpike_errors_total Requests answered with an error, by its code.\n')
  expect(text).toContain('# TYPE turnpike_event_loop_lag_seconds histogram\n')
  expect(text).toContain('turnpike_event_loop_lag_seconds_bucket{le="0.001"} 1\n')
  expect(text).toContain('turnpike_event_loop_lag_seconds_bucket{le="0.005"} 3\n')
  expect(text).toContain('turnpike_event_loop_lag_seconds_bucket{le="+Inf"} 7\n')
  expect(text).toContain('turnpike_event_loop_lag_seconds_count 7\n')
  expect(text).toContain('turnpike_held_usdt 0.000000007\n')
})
