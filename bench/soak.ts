/**
 * An hour of mixed agent traffic on one gateway: `npm run soak -- [minutes] [workers]`. Prompts of 20 to 300 KB as agents
 * send them, most answers streamed, a part of them with tools or translated. Memory and open descriptors of all its
 * processes and latencies of the first and the last part are printed side by side; what grows without an end shows there.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadResult } from './measuring/load-job.ts'
import { runLoad } from './measuring/measure.ts'
import { countDescriptors, readProcessTree } from './measuring/process-meter.ts'
import { median } from './measuring/statistics.ts'
import { ProcessGroup } from './process-group.ts'
import { buildPrompt } from './prompts.ts'
import type { Scenario } from './scenarios.ts'
import { megabytes, milliseconds, renderTable } from './table.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import { type Target, TRANSLATED_MODEL } from './targets/target.ts'

const PART_SECONDS = 30
const RESULTS = join(import.meta.dirname, 'results')

/** Each in its own process, all at once. Rates are far below what the gateway can do: a soak looks for what stays. */
function makeTraffic(seconds: number): Scenario[] {
  const streamed = (kilobytes: number, tools: number, model?: string): Scenario => ({
    name: `${kilobytes} KB streamed${model === undefined ? '' : ', translated'}`,
    connections: 32,
    maxSeconds: seconds,
    maxRequests: 10_000_000,
    ratePerSecond: 4,
    chunks: 60,
    body: buildPrompt({
      kilobytes,
      tools,
      isStreamed: true,
      script: 'chunks=60 gap=40',
      ...(model !== undefined && { model }),
    }),
  })
  return [
    streamed(20, 12),
    streamed(80, 24),
    streamed(300, 24),
    streamed(60, 0, TRANSLATED_MODEL),
    {
      ...streamed(40, 0),
      name: '40 KB whole',
      chunks: null,
      ratePerSecond: 10,
      body: buildPrompt({ kilobytes: 40 }),
    },
  ]
}

/** What half a minute looked like. */
interface Part {
  readonly atMinute: number
  readonly residentBytes: number
  readonly descriptors: number
  readonly loads: readonly (LoadResult & { readonly name: string })[]
}

async function runPart(gateway: Target, startedAtMs: number): Promise<Part> {
  const traffic = makeTraffic(PART_SECONDS)
  const loads = await Promise.all(
    traffic.map(async (scenario) => ({ name: scenario.name, ...(await runLoad(gateway, scenario)) })),
  )
  return {
    atMinute: (performance.now() - startedAtMs) / 60_000,
    residentBytes: readProcessTree(gateway.process.pid).residentBytes,
    descriptors: countDescriptors(gateway.process.pid),
    loads,
  }
}

function render(parts: readonly Part[]): string {
  const tenth = Math.max(1, Math.floor(parts.length / 10))
  // The first part is left out where there are enough: until code is compiled, everything takes longer.
  const ends = [parts.length > 2 ? parts.slice(1, 1 + tenth) : parts.slice(0, 1), parts.slice(-tenth)]
  const rowOf = (what: string, pick: (part: Part) => number, show: (value: number) => string) => {
    const [start = 0, end = 0] = ends.map((part) => median(part.map(pick)))
    return [what, show(start), show(end), start > 0 ? (end / start).toFixed(2) : '–']
  }
  const load = (part: Part, name: string) => part.loads.find((one) => one.name === name)
  const names = makeTraffic(PART_SECONDS).map(({ name }) => name)
  return renderTable([
    ['', 'start', 'end', 'end ÷ start'],
    rowOf('memory MB', ({ residentBytes }) => residentBytes, megabytes),
    rowOf('descriptors', ({ descriptors }) => descriptors, String),
    ...names.map((name) => {
      const isStreamed = name.includes('streamed')
      const pick = (part: Part) => {
        const one = load(part, name)
        return (isStreamed ? one?.firstByteUs.p99 : one?.latencyUs.p99) ?? 0
      }
      return rowOf(`${name}, ${isStreamed ? 'first byte ' : ''}p99 ms`, pick, milliseconds)
    }),
    ...names
      .filter((name) => name.includes('streamed'))
      .map((name) =>
        rowOf(`${name}, between chunks p99 ms`, (part) => load(part, name)?.gapUs.p99 ?? 0, milliseconds),
      ),
  ])
}

function keep(parts: readonly Part[]): string {
  mkdirSync(RESULTS, { recursive: true })
  const file = join(RESULTS, `soak-${new Date().toISOString().replace(/[:.]/g, '-')}.json`)
  writeFileSync(file, JSON.stringify({ bun: Bun.version, parts }, null, 1))
  return file
}

async function main(): Promise<number> {
  const [minutes = 60, workers = 1] = process.argv.slice(2).map(Number)
  if (!(minutes > 0) || !(workers > 0)) throw new Error('minutes and workers must be numbers')
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-soak-'))
  const processes = new ProcessGroup(folder)
  const parts: Part[] = []
  try {
    const direct = await startDirect(processes)
    const environment = { TURNPIKE_WORKERS: String(workers) }
    const context = { processes, upstreamPort: direct.port, folder }
    const gateway = await startGateway(context, { name: 'gateway', environment })
    const startedAtMs = performance.now()
    while (performance.now() - startedAtMs < minutes * 60_000) {
      const part = await runPart(gateway, startedAtMs)
      parts.push(part)
      const failures = part.loads.reduce((sum, load) => sum + load.failures, 0)
      const requests = part.loads.reduce((sum, load) => sum + load.requests, 0)
      console.log(
        `minute ${part.atMinute.toFixed(1)}: ${requests} requests, ${failures} failed, ${megabytes(part.residentBytes)} MB, ${part.descriptors} descriptors`,
      )
    }
  } finally {
    await processes.stop()
  }
  console.log(`\n${render(parts)}\n\nraw numbers: ${keep(parts)}`)
  const failed = parts.flatMap(({ loads }) => loads).filter(({ failures }) => failures > 0)
  for (const { name, failures, firstFailure } of failed)
    console.log(`${name}: ${failures} failed, the first: ${firstFailure}`)
  return failed.length > 0 ? 1 : 0
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`soak: ${error instanceof Error ? error.message : String(error)}`)
  return 1
})
