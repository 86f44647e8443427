import { expect, test } from 'bun:test'
import { aSettlement } from '../../../vocabulary/testing/specimens.ts'
import { type Gauges, Metrics } from './metrics.ts'
import { renderReadings } from './readings.ts'

const PROCESS = { residentBytes: 1_000, cpuSeconds: 2.5, startedAtSeconds: 1_700_000_000, version: '1.2.3' }
const GAUGES = { liveStreams: 3, journalWaiting: 1, process: PROCESS }

function linesOf(metrics: Metrics, gauges: Gauges = GAUGES): string[] {
  return renderReadings(metrics.read(gauges)).split('\n')
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
    aSettlement({ model: 'm', supplier: 's', firstByteMs: 60 }),
    aSettlement({ model: 'm', supplier: 's', firstByteMs: 400_000 }),
  ])
  const lines = linesOf(metrics)
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{model="m",supplier="s",le="0.05"} 0')
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{model="m",supplier="s",le="0.1"} 1')
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{model="m",supplier="s",le="300"} 1')
  expect(lines).toContain('turnpike_first_byte_seconds_bucket{model="m",supplier="s",le="+Inf"} 2')
  expect(lines).toContain('turnpike_first_byte_seconds_count{model="m",supplier="s"} 2')
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
  const lines = linesOf(new Metrics(), { ...GAUGES, connections })
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
  const lines = linesOf(metrics, { ...GAUGES, nodesLiving: 3, sharedLimitsState: 'local', journal })
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

test('measures streams: duration, tokens per second, and the gaps between their pieces', () => {
  const metrics = new Metrics()
  const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 100, reasoning: 0, images: 0 }
  const stream = { model: 'm', supplier: 's', outcome: 'completed', usage, stream: true } as const
  metrics.noteSettlements([
    aSettlement({ ...stream, firstByteMs: 500, durationMs: 2_500 }),
    // Not measurable, and not a stream.
    aSettlement({ ...stream, firstByteMs: 500, durationMs: 500 }),
    aSettlement({ ...stream, stream: false, firstByteMs: 500, durationMs: 700 }),
    aSettlement({ ...stream, outcome: 'client_left', firstByteMs: 500, durationMs: 700 }),
  ])
  const noteGap = metrics.gapsOf('m', 's')
  for (const gapMs of [0, 20, 120_000]) noteGap(gapMs)
  const lines = linesOf(metrics)
  const at = 'model="m",supplier="s"'
  expect(lines).toContain(`turnpike_output_tokens_per_second_bucket{${at},le="40"} 0`)
  expect(lines).toContain(`turnpike_output_tokens_per_second_bucket{${at},le="60"} 1`)
  expect(lines).toContain(`turnpike_output_tokens_per_second_count{${at}} 1`)
  expect(lines).toContain(`turnpike_duration_seconds_bucket{${at},le="1"} 3`)
  expect(lines).toContain(`turnpike_duration_seconds_count{${at}} 4`)
  expect(lines).toContain(`turnpike_chunk_gap_seconds_bucket{${at},le="0.001"} 1`)
  expect(lines).toContain(`turnpike_chunk_gap_seconds_bucket{${at},le="60"} 2`)
  expect(lines).toContain(`turnpike_chunk_gap_seconds_count{${at}} 3`)
  expect(lines).toContain(`turnpike_chunk_gap_seconds_sum{${at}} 120.02`)
})

test('counts errors by code, by limit and by account', () => {
  const metrics = new Metrics({ maxAccounts: 2 })
  const silent = { attemptFailed: () => {}, notice: () => {}, trouble: () => {} }
  const log = metrics.countRequests({ ...silent, request: () => {} })
  const line = { requestId: 'r', method: 'POST', path: '/x', durationMs: 1, status: 403 }
  const error = { code: 'spending_limit_exceeded', limit: 'balance', accountId: 'acc_1' } as const
  log.request({ ...line, findings: { error } })
  log.request({ ...line, findings: { error: { code: 'auth_invalid', limit: null, accountId: null } } })
  const lines = linesOf(metrics)
  expect(lines).toContain('turnpike_errors_total{code="spending_limit_exceeded"} 1')
  expect(lines).toContain('turnpike_errors_total{code="auth_invalid"} 1')
  expect(lines).toContain('turnpike_limit_refusals_total{limit="balance"} 1')
  expect(lines).toContain('turnpike_account_errors_total{account="acc_1",code="spending_limit_exceeded"} 1')
})

test('later models, suppliers and accounts are counted together', () => {
  const metrics = new Metrics({ maxAccounts: 2 })
  const count = 1_000
  const settlements = Array.from({ length: count }, (_, index) =>
    aSettlement({ model: `m${index}`, supplier: `s${index}`, accountId: `a${index}`, outcome: 'completed' }),
  )
  metrics.noteSettlements(settlements)
  const settled = linesOf(metrics).filter((line) => line.startsWith('turnpike_settlements_total{'))
  expect(settled.length).toBe(201)
  expect(settled).toContain(
    'turnpike_settlements_total{model="other",supplier="other",outcome="completed"} 800',
  )
  const accounts = linesOf(metrics, { ...GAUGES, balanceOf: () => 5n }).filter((line) =>
    /account=/.test(line),
  )
  expect(accounts).toContain('turnpike_account_requests_total{account="a1",outcome="completed"} 1')
  expect(accounts).toContain('turnpike_account_requests_total{account="other",outcome="completed"} 998')
  expect(accounts).toContain('turnpike_account_balance_usdt{account="a1"} 0.000000005')
  expect(accounts.some((line) => line.startsWith('turnpike_account_balance_usdt{account="other"'))).toBe(
    false,
  )
})

test('accounts have no series when none are allowed', () => {
  const metrics = new Metrics({ maxAccounts: 0 })
  metrics.noteSettlements([aSettlement({})])
  expect(linesOf(metrics).filter((line) => line.includes('account='))).toEqual([])
})

test('suppliers that customers named share a label', () => {
  const metrics = new Metrics()
  metrics.labelSuppliers((id) => (id === 'openai' ? id : 'byok'))
  metrics.noteSettlements([
    aSettlement({ model: 'm', supplier: 'openai', outcome: 'completed', attempts: [] }),
    aSettlement({ model: 'm', supplier: 'their secret name', outcome: 'completed', attempts: [] }),
  ])
  const lines = linesOf(metrics).filter((line) => line.startsWith('turnpike_settlements_total{'))
  expect(lines.join()).not.toContain('secret')
  expect(lines).toContain('turnpike_settlements_total{model="m",supplier="byok",outcome="completed"} 1')
})

test('shows the state of the supply', () => {
  const supply = {
    circuits: [{ supplier: 's', state: 'open', count: 2 }],
    credentials: [{ supplier: 's', state: 'cooling', count: 1 }],
    modelCandidates: new Map([['m', 0]]),
    capacityUsed: [{ supplier: 's', limit: 'tokens', ratio: 0.25 }],
  }
  const holds = { count: 4, heldNano: 1_500_000_000n }
  const lines = linesOf(new Metrics(), { ...GAUGES, supply, holds, bodies: { bytes: 5, maxBytes: 10 } })
  expect(lines).toContain('turnpike_circuits{supplier="s",state="open"} 2')
  expect(lines).toContain('turnpike_credentials{supplier="s",state="cooling"} 1')
  expect(lines).toContain('turnpike_model_candidates{model="m"} 0')
  expect(lines).toContain('turnpike_supplier_capacity_used_ratio{supplier="s",limit="tokens"} 0.25')
  expect(lines).toContain('turnpike_holds 4')
  expect(lines).toContain('turnpike_held_usdt 1.5')
  expect(lines).toContain('turnpike_body_max_bytes 10')
})
