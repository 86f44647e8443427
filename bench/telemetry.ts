import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measuring/measure.ts'
import { median } from './measuring/statistics.ts'
import { ProcessGroup } from './process-group.ts'
import { makePlan } from './scenarios.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'

/**
 * What OpenTelemetry costs: a gateway without it and one with it take turns. `bun bench/telemetry.ts [rounds] [ratio]`
 * traces this share of requests, a tenth by default, and exports metrics, but no logs.
 */
const [rounds = '11', ratio = '0.1'] = process.argv.slice(2)
// Code that runs for a tenth of the requests takes ten times as long to be compiled.
const WARM_UP_SECONDS = 14

const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    await request.arrayBuffer()
    return new Response(new Uint8Array())
  },
})
const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
const processes = new ProcessGroup(folder)
try {
  const { port } = await startDirect(processes)
  const context = { processes, upstreamPort: port, folder }
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
    OTEL_LOGS_EXPORTER: 'none',
  }
  const off = await startGateway(context, { name: 'off', environment: {} })
  const on = await startGateway(context, { name: 'on', environment })
  const scenarios = makePlan(false).repeated.filter(({ name }) => name === 'whole' || name === 'stream')
  for (const scenario of scenarios) {
    const warmUp = { ...scenario, maxSeconds: WARM_UP_SECONDS, maxRequests: 1_000_000 }
    for (const target of [off, on, off, on]) await measure(target, warmUp, 0)
  }
  for (const scenario of scenarios) {
    const found = { off: [] as number[], on: [] as number[] }
    for (let round = 0; round < Number(rounds); round += 1) {
      for (const target of round % 2 === 0 ? [off, on] : [on, off]) {
        const { cpuUsPerChunk, cpuUsPerRequest } = await measure(target, scenario, round)
        found[target === off ? 'off' : 'on'].push(cpuUsPerChunk ?? cpuUsPerRequest)
      }
    }
    const share = median(found.on.map((value, round) => value / (found.off[round] ?? value)))
    const cells = [median(found.off), median(found.on)].map((value) => `${value.toFixed(1)} µs`)
    console.log(`${scenario.name}: off ${cells[0]}, on ${cells[1]}, ratio ${share.toFixed(3)}`)
  }
} finally {
  await processes.stop()
  await collector.stop(true)
  rmSync(folder, { recursive: true, force: true })
}
