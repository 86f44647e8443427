import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure, runLoad } from './measuring/measure.ts'
import { median } from './measuring/statistics.ts'
import { ProcessGroup } from './process-group.ts'
import { makePlan, type Scenario } from './scenarios.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import type { Target } from './targets/target.ts'

/**
 * What OpenTelemetry costs: a gateway with it takes turns with two that are equal and have none, so that the difference
 * of those two says how much of the result is chance. Two equal processes may differ by a tenth for as long as they run,
 * and one that is started later often costs some percent more, so all are started several times, in both orders.
 * `bun bench/telemetry.ts [starts] [rounds] [ratio]` traces this share of requests, a tenth by default, and exports
 * metrics, but no logs.
 */
const [starts = '4', rounds = '5', ratio = '0.1'] = process.argv.slice(2)
// Code that runs for a tenth of the requests takes ten times as long to be compiled, and after half a minute of load
// the compiler still takes a twentieth of the processor. So most of the warm-up samples everything, and it is long.
const WARM_UP_SECONDS = 30
const SAMPLED_WARM_UPS = [true, true, false]
const SAMPLED = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` }
const ORDER = ['off', 'on', 'twin'] as const

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
  twin: {},
  on: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
    OTEL_LOGS_EXPORTER: 'none',
  },
}
// The kernel tells a process's time in hundredths of a second: shorter rounds of streams would be told in steps of 3 %.
const ROUND_SECONDS = 3
const SCENARIOS = makePlan(false)
  .repeated.filter(({ name }) => name === 'whole' || name === 'stream')
  .map((scenario) => ({ ...scenario, maxSeconds: ROUND_SECONDS }))
// A gateway in service is not as busy as it can be: between requests it waits, and then collects and compiles.
const HALF_LOAD = { name: 'whole, half load', connections: 64 }

interface Ratios {
  /** With OpenTelemetry to the mean of the two without. */
  readonly cost: number
  /** Between the two without. */
  readonly chance: number
}

/** The ratios of each scenario by its name, with the gateways started in this order. */
async function compare(order: readonly (keyof typeof ENVIRONMENTS)[]): Promise<Record<string, Ratios>> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  const processes = new ProcessGroup(folder)
  try {
    const { port } = await startDirect(processes)
    const targets: Target[] = []
    for (const name of order) {
      const context = { processes, upstreamPort: port, folder }
      targets.push(await startGateway(context, { name, environment: ENVIRONMENTS[name] }))
    }
    for (const scenario of SCENARIOS) await warmUp(targets, scenario)
    const ratios: Record<string, Ratios> = {}
    for (const scenario of [...SCENARIOS, await halfLoadOf(targets)])
      ratios[scenario.name] = await takeTurns(targets, scenario)
    return ratios
  } finally {
    await processes.stop()
  }
}

/** Whole replies at half the rate that a gateway without telemetry can serve. */
async function halfLoadOf(targets: readonly Target[]): Promise<Scenario> {
  const [whole] = SCENARIOS
  const off = targets.find(({ name }) => name === 'off')
  if (whole === undefined || off === undefined) throw new Error('There are no whole replies to measure.')
  const { requests, seconds } = await runLoad(off, { ...whole, maxRequests: 10_000_000 })
  return {
    ...whole,
    ...HALF_LOAD,
    maxRequests: 10_000_000,
    ratePerSecond: Math.floor(requests / seconds / 2),
  }
}

/** All at the same time: nothing is measured yet. */
async function warmUp(targets: readonly Target[], scenario: Scenario): Promise<void> {
  const load = { ...scenario, maxSeconds: WARM_UP_SECONDS, maxRequests: 10_000_000 }
  for (const isSampled of SAMPLED_WARM_UPS) {
    const extra = isSampled ? SAMPLED : {}
    await Promise.all(
      targets.map((target) => runLoad({ ...target, headers: { ...target.headers, ...extra } }, load)),
    )
  }
}

async function takeTurns(targets: readonly Target[], scenario: Scenario): Promise<Ratios> {
  const found: Record<string, number[]> = { off: [], on: [], twin: [] }
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const { cpuUsPerChunk, cpuUsPerRequest } = await measure(target, scenario, round)
      found[target.name]?.push(cpuUsPerChunk ?? cpuUsPerRequest)
    }
  }
  const { off = [], on = [], twin = [] } = found
  const cost = median(on.map((value, round) => (value * 2) / ((off[round] ?? 0) + (twin[round] ?? 0))))
  const chance = median(twin.map((value, round) => value / (off[round] ?? value)))
  const figures = targets.map(({ name }) => `${name} ${median(found[name] ?? []).toFixed(1)} µs`).join(', ')
  console.log(`${scenario.name}: ${figures}; cost ${cost.toFixed(3)}, chance ${chance.toFixed(3)}`)
  return { cost, chance }
}

/** The mean of ratios. */
function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
}

try {
  const found: Record<string, Ratios>[] = []
  while (found.length < Number(starts)) {
    found.push(await compare(found.length % 2 === 0 ? ORDER : ORDER.toReversed()))
  }
  for (const { name } of [...SCENARIOS, HALF_LOAD]) {
    const all = found.flatMap((ratios) => ratios[name] ?? [])
    const cost = geometricMean(all.map((each) => each.cost)).toFixed(3)
    const chance = geometricMean(all.map((each) => each.chance)).toFixed(3)
    console.log(`${name}: cost ${cost}, chance ${chance} (geometric means of ${all.length} starts)`)
  }
} finally {
  await collector.stop(true)
}
