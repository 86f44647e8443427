import { expect, test } from 'bun:test'
import { aSettlement } from '../../vocabulary/testing/specimens.ts'
import { Metrics } from './metrics.ts'

const GAUGES = { liveStreams: 3, journalWaiting: 1, residentBytes: 1_000, cpuSeconds: 2.5 }

function linesOf(metrics: Metrics): string[] {
  return metrics.render(GAUGES).split('\n')
}

test('counts settlements by model, supplier and outcome', () => {
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

test('counts what is charged and what suppliers charge, both or neither', () => {
  const metrics = new Metrics()
  metrics.noteSettlements([
    aSettlement({ model: 'dear', supplier: 's', amountNano: 5_000n, costNano: 4_000n }),
    aSettlement({ model: 'dear', supplier: 's', amountNano: 1_000n, costNano: 1_500n }),
    aSettlement({ model: 'given', supplier: 's', amountNano: 0n, costNano: 7n }),
    aSettlement({ model: 'free', supplier: 's', amountNano: 0n, costNano: 0n }),
  ])
  const lines = linesOf(metrics).filter((line) => /^turnpike_(spend|cost)_/.test(line))
  expect(lines).toEqual([
    'turnpike_spend_usdt_total{model="dear",supplier="s"} 0.000006',
    'turnpike_spend_usdt_total{model="given",supplier="s"} 0',
    'turnpike_cost_usdt_total{model="dear",supplier="s"} 0.0000055',
    'turnpike_cost_usdt_total{model="given",supplier="s"} 0.000000007',
  ])
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

test('counts logged requests by status and shows gauges unchanged', () => {
  const metrics = new Metrics()
  const logged: number[] = []
  const log = metrics.countRequests({
    request: ({ status }) => void logged.push(status),
    attemptFailed: () => undefined,
    notice: () => undefined,
    trouble: () => undefined,
  })
  const line = { requestId: 'r', method: 'GET', path: '/x', durationMs: 1 }
  for (const status of [200, 429, 200]) log.request({ ...line, status })
  expect(logged).toEqual([200, 429, 200])
  const lines = linesOf(metrics)
  expect(lines).toContain('turnpike_http_requests_total{status="200"} 2')
  expect(lines).toContain('turnpike_http_requests_total{status="429"} 1')
  expect(lines).toContain('turnpike_live_streams 3')
  expect(lines).toContain('# TYPE process_cpu_seconds_total counter')
})

test('shows open connections and how many were closed to stay within the limit', () => {
  const counts = { dismissed: 4, refusedByTotal: 2, refusedByAddress: 1, descriptorShortages: 3 }
  const connections = { open: 7, max: 9, webSockets: 5, ...counts }
  const lines = new Metrics().render({ ...GAUGES, connections }).split('\n')
  expect(lines).toContain('turnpike_connections 7')
  expect(lines).toContain('turnpike_connections_max 9')
  expect(lines).toContain('turnpike_websockets 5')
  expect(lines).toContain('turnpike_connections_refused_total{limit="total"} 2')
  expect(lines).toContain('turnpike_connections_refused_total{limit="address"} 1')
  expect(lines).toContain('turnpike_connections_closed_for_room_total 4')
  expect(lines).toContain('turnpike_descriptor_shortages_total 3')
})

test('shows the shared limits if there are any, with a fixed set of labels', () => {
  const metrics = new Metrics()
  expect(linesOf(metrics).some((line) => /shared_limits|nodes|journal_bytes/.test(line))).toBe(false)
  metrics.noteSharedLimitsCall({ result: 'answered', durationMs: 0.7 })
  metrics.noteSharedLimitsCall({ result: 'late', durationMs: 50 })
  metrics.noteSharedLimitsCall({ result: 'skipped', durationMs: null })
  const journal = { bytes: 10, maxBytes: 100, oldestSeconds: 1.5, isRefusing: true }
  const lines = metrics.render({ ...GAUGES, nodesLiving: 3, sharedLimitsState: 'local', journal }).split('\n')
  expect(lines).toContain('turnpike_shared_limits_calls_total{result="answered"} 1')
  expect(lines).toContain('turnpike_shared_limits_calls_total{result="skipped"} 1')
  expect(lines).toContain('turnpike_shared_limits_call_seconds_bucket{le="0.001"} 1')
  expect(lines).toContain('turnpike_shared_limits_call_seconds_bucket{le="0.05"} 2')
  expect(lines).toContain('turnpike_shared_limits_call_seconds_count 2')
  expect(lines).toContain('turnpike_nodes 3')
  expect(lines).toContain('turnpike_shared_limits_state{state="shared"} 0')
  expect(lines).toContain('turnpike_shared_limits_state{state="local"} 1')
  expect(lines).toContain('turnpike_journal_bytes 10')
  expect(lines).toContain('turnpike_journal_refusing 1')
  expect(lines).toContain('turnpike_journal_oldest_seconds 1.5')
})

test('counts unreadable journal lines by kind, from zero', () => {
  const metrics = new Metrics()
  metrics.noteDamagedLine('altered')
  const lines = linesOf(metrics)
  expect(lines).toContain('turnpike_journal_damaged_lines_total{kind="altered"} 1')
  expect(lines).toContain('turnpike_journal_damaged_lines_total{kind="cut_off"} 0')
})
