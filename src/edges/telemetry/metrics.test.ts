import { expect, test } from 'bun:test'
import { aSettlement } from '../../vocabulary/testing/specimens.ts'
import { Metrics } from './metrics.ts'

const GAUGES = { liveStreams: 3, journalWaiting: 1, residentBytes: 1_000, cpuSeconds: 2.5 }

function linesOf(metrics: Metrics): string[] {
  return metrics.render(GAUGES).split('\n')
}

test('settlements are counted by what the configuration names', () => {
  const metrics = new Metrics()
  const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 4, reasoning: 2, images: 0 }
  const one = aSettlement({ model: 'm"1', supplier: 's', outcome: 'completed', usage, amountNano: 5n })
  metrics.noteSettlements([one, one])
  const lines = linesOf(metrics)
  expect(lines).toContain('turnpike_settlements_total{model="m\\"1",supplier="s",outcome="completed"} 2')
  expect(lines).toContain('turnpike_tokens_total{model="m\\"1",supplier="s",kind="input"} 20')
  expect(lines).toContain('turnpike_tokens_total{model="m\\"1",supplier="s",kind="output"} 8')
  expect(lines).toContain('turnpike_spend_usdt_total{model="m\\"1",supplier="s"} 0.00000001')
})

test('a histogram counts each answer in every bucket it fits', () => {
  const metrics = new Metrics()
  metrics.noteSettlements([
    aSettlement({ supplier: 's', firstByteMs: 60 }),
    aSettlement({ supplier: 's', firstByteMs: 400_000 }),
  ])
  const lines = linesOf(metrics)
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{supplier="s",le="0.05"} 0')
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{supplier="s",le="0.1"} 1')
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{supplier="s",le="300"} 1')
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{supplier="s",le="+Inf"} 2')
  expect(lines).toContain('turnpike_first_byte_seconds_count{supplier="s"} 2')
})

test('requests are counted by status and gauges are told as they are', () => {
  const metrics = new Metrics()
  const line = { requestId: 'r', method: 'GET', path: '/x', durationMs: 1 }
  metrics.noteRequest({ ...line, status: 200 })
  metrics.noteRequest({ ...line, status: 429 })
  metrics.noteRequest({ ...line, status: 200 })
  const lines = linesOf(metrics)
  expect(lines).toContain('turnpike_http_requests_total{status="200"} 2')
  expect(lines).toContain('turnpike_http_requests_total{status="429"} 1')
  expect(lines).toContain('turnpike_live_streams 3')
  expect(lines).toContain('# TYPE process_cpu_seconds_total counter')
})
