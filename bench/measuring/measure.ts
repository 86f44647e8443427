import { join } from 'node:path'
import { expectedEvents, type Scenario } from '../scenarios.ts'
import { MODEL, type Target } from '../targets/target.ts'
import type { LoadJob, LoadResult } from './load-job.ts'
import { readCompilerUs, readProcessTree } from './process-meter.ts'

const LOAD_PROGRAM = join(import.meta.dirname, '../programs/load.ts')

// Work put off until after the answer (journal, ledger, collected garbage) belongs to the requests that caused it.
const AFTERMATH_MS = 250

/** One scenario against one target, once. */
export interface Measurement {
  readonly target: string
  readonly scenario: Scenario['name']
  readonly round: number
  readonly load: LoadResult
  readonly cpuUs: number
  /** What of it went into compiling. */
  readonly compilerUs: number
  readonly cpuUsPerRequest: number
  /** null for whole replies. */
  readonly cpuUsPerChunk: number | null
  readonly residentBytes: number
}

export async function measure(target: Target, scenario: Scenario, round: number): Promise<Measurement> {
  const { pid } = target.process
  const before = readProcessTree(pid)
  const compiledBeforeUs = readCompilerUs(pid)
  const load = await runLoad(target, scenario)
  await Bun.sleep(AFTERMATH_MS)
  if (!target.process.isRunning())
    throw new Error(`${target.name} died. It printed:\n${target.process.tail()}`)
  const after = readProcessTree(pid)
  const compilerUs = Math.max(0, readCompilerUs(pid) - compiledBeforeUs)

  const cpuUs = after.cpuUs - before.cpuUs
  const cpuUsPerRequest = cpuUs / Math.max(1, load.requests)
  return {
    target: target.name,
    scenario: scenario.name,
    round,
    load,
    cpuUs,
    compilerUs,
    cpuUsPerRequest,
    cpuUsPerChunk: scenario.chunks === null ? null : cpuUsPerRequest / scenario.chunks,
    residentBytes: after.residentBytes,
  }
}

export async function runLoad(target: Target, scenario: Scenario): Promise<LoadResult> {
  const job: LoadJob = {
    port: target.port,
    path: target.path,
    headers: target.moreHeaders ?? [target.headers],
    body: nameModel(scenario.body, target),
    connections: scenario.connections,
    maxSeconds: scenario.maxSeconds,
    maxRequests: scenario.maxRequests,
    expectedEvents: expectedEvents(scenario),
    ...(scenario.ratePerSecond !== undefined && { ratePerSecond: scenario.ratePerSecond }),
    ...(scenario.statuses && { statuses: scenario.statuses }),
  }
  const child = Bun.spawn([process.execPath, LOAD_PROGRAM], {
    stdin: new Blob([JSON.stringify(job)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`the load generator failed against ${target.name}`)
  return JSON.parse(output) as LoadResult
}

function nameModel(body: string, { model }: Target): string {
  return model === undefined ? body : body.replace(`"model":"${MODEL}"`, `"model":"${model}"`)
}
