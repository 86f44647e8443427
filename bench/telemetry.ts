import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measuring/measure.ts'
import { median } from './measuring/statistics.ts'
import { ProcessGroup } from './process-group.ts'
import { makePlan, type Scenario } from './scenarios.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import type { Target } from './targets/target.ts'

/**
 * What OpenTelemetry costs: a gateway without it and one with it take turns, and then again, started in the other order,
 * because of two equal processes the later one often costs some percent more. `bun bench/telemetry.ts [rounds] [ratio]`
 * traces this share of requests, a tenth by default, and exports metrics, but no logs.
 */
const [rounds = '8', ratio = '0.1'] = process.argv.slice(2)
const WARM_UP_SECONDS = 8
// Code that runs for a tenth of the requests takes ten times as long to be compiled, unless all of them are sampled.
const SAMPLED = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` }

const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    await request.arrayBuffer()
    return new Response(new Uint8Array())
  },
})
const ENVIRONMENTS = {
  off: {},
  on: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
    OTEL_LOGS_EXPORTER: 'none',
  },
}
const SCENARIOS = makePlan(false).repeated.filter(({ name }) => name === 'whole' || name === 'stream')

/** The ratio of each scenario, with the gateways started in this order. */
async function compare(order: readonly ('off' | 'on')[]): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  const processes = new ProcessGroup(folder)
  try {
    const { port } = await startDirect(processes)
    const targets: Target[] = []
    for (const name of order) {
      const context = { processes, upstreamPort: port, folder }
      targets.push(await startGateway(context, { name, environment: ENVIRONMENTS[name] }))
    }
    for (const scenario of SCENARIOS) {
      const warmUp = { ...scenario, maxSeconds: WARM_UP_SECONDS, maxRequests: 1_000_000 }
      for (const target of [...targets, ...targets])
        await measure({ ...target, headers: { ...target.headers, ...SAMPLED } }, warmUp, 0)
      for (const target of targets) await measure(target, warmUp, 0)
    }
    const ratios: number[] = []
    for (const scenario of SCENARIOS) ratios.push(await takeTurns(targets, scenario))
    return ratios
  } finally {
    await processes.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function takeTurns(targets: readonly Target[], scenario: Scenario): Promise<number> {
  const found: Record<string, number[]> = { off: [], on: [] }
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const { cpuUsPerChunk, cpuUsPerRequest } = await measure(target, scenario, round)
      found[target.name]?.push(cpuUsPerChunk ?? cpuUsPerRequest)
    }
  }
  const { off = [], on = [] } = found
  const ratio = median(on.map((value, round) => value / (off[round] ?? value)))
  const names = targets.map(({ name }) => name).join(' first, then ')
  const [plain, traced] = [off, on].map((values) => median(values).toFixed(1))
  console.log(`${scenario.name} (${names}): off ${plain} µs, on ${traced} µs, ratio ${ratio.toFixed(3)}`)
  return ratio
}

try {
  const found = [await compare(['off', 'on']), await compare(['on', 'off'])]
  for (const [place, { name }] of SCENARIOS.entries()) {
    const [one = 1, other = 1] = found.map((ratios) => ratios[place])
    console.log(`${name}: ${Math.sqrt(one * other).toFixed(3)} (geometric mean of both orders)`)
  }
} finally {
  await collector.stop(true)
}
