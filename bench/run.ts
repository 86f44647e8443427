import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measurement, measure } from './measuring/measure.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { ProcessGroup } from './process-group.ts'
import { type BenchResult, type LeftOut, renderReport } from './report.ts'
import { makePlan, type Plan, type Scenario } from './scenarios.ts'
import { startBare } from './targets/bare.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import { startNginx } from './targets/nginx.ts'
import { startPortkey } from './targets/portkey.ts'
import type { Target } from './targets/target.ts'

const RESULTS = join(import.meta.dirname, 'results')
const PEERS: readonly string[] = ['nginx', 'portkey']

async function startTargets(options: Options, processes: ProcessGroup, folder: string): Promise<Target[]> {
  const direct = await startDirect(processes)
  const context = { processes, upstreamPort: direct.port, folder }
  const started: (Target | null)[] = [direct, await startBare(context)]
  if (options.targets.has('gateway')) started.push(await startGateway(context))
  if (options.targets.has('nginx')) started.push(orSkip('nginx', await startNginx(context)))
  if (options.targets.has('portkey')) started.push(orSkip('portkey', await startPortkey(context)))
  return started.filter((target) => target !== null)
}

function orSkip(name: string, target: Target | null): Target | null {
  if (target === null) console.log(`${name} is left out: it is not installed and cannot be`)
  return target
}

/** Only one target is under load at a time, and all take turns, so that a slow minute of the machine hits all. */
async function measureAll(targets: readonly Target[], plan: Plan): Promise<BenchResult> {
  const leftOut: LeftOut[] = []
  for (const scenario of plan.warmUp) {
    for (const target of targetsFor(scenario, targets)) {
      if (isLeftOut(leftOut, target, scenario)) continue
      const reason = await warmUp(target, scenario)
      if (reason !== null) leftOut.push({ target: target.name, streams: scenario.chunks !== null, reason })
    }
  }
  const measurements: Measurement[] = []
  const turn = async (scenario: Scenario, round: number) => {
    for (const target of targetsFor(scenario, targets)) {
      if (!isLeftOut(leftOut, target, scenario)) measurements.push(await measure(target, scenario, round))
    }
  }
  for (let round = 1; round <= plan.rounds; round++) {
    console.log(`round ${round} of ${plan.rounds}`)
    for (const scenario of plan.repeated) await turn(scenario, round)
  }
  for (const scenario of plan.once) await turn(scenario, 1)
  return { measurements, leftOut }
}

function targetsFor({ isTranslated }: Scenario, targets: readonly Target[]): readonly Target[] {
  return isTranslated ? targets.filter(({ name }) => name === 'gateway') : targets
}

function isLeftOut(leftOut: readonly LeftOut[], { name }: Target, { chunks }: Scenario): boolean {
  return leftOut.some(({ target, streams }) => target === name && streams === (chunks !== null))
}

/**
 * Says what is wrong with a peer's answers, so that its error pages are not measured as if they were answers.
 * Our own programs have no such excuse.
 */
async function warmUp(target: Target, scenario: Scenario): Promise<string | null> {
  const { load } = await measure(target, scenario, 0)
  if (load.failures === 0) return null
  const reason = `${load.failures} of ${load.requests} requests failed while warming up: ${load.firstFailure}`
  if (PEERS.includes(target.name)) return reason
  throw new Error(`${target.name}: ${reason}. It printed:\n${target.process.tail()}`)
}

function keepRaw(result: BenchResult, options: Options): string {
  mkdirSync(RESULTS, { recursive: true })
  const at = new Date().toISOString()
  const file = join(RESULTS, `${at.replace(/[:.]/g, '-')}.json`)
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, kernel: release(), bun: Bun.version }
  writeFileSync(file, JSON.stringify({ at, machine, full: options.full, ...result }, null, 1))
  return file
}

async function main(): Promise<number> {
  if (!existsSync('/proc/self/stat')) {
    console.error('the benchmark reads CPU time from /proc and therefore runs on Linux only')
    return 1
  }
  const options = readOptions(process.argv.slice(2))
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  const processes = new ProcessGroup(folder)
  const cleanUp = async () => {
    await processes.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const giveUp = () => void cleanUp().finally(() => process.exit(130))
  process.once('SIGINT', giveUp).once('SIGTERM', giveUp)

  try {
    const targets = await startTargets(options, processes, folder)
    const result = await measureAll(targets, makePlan(options.full))
    console.log(`\n${renderReport(result)}\n\nraw numbers: ${keepRaw(result, options)}`)
    const ours = result.measurements.filter(({ target }) => !PEERS.includes(target))
    return ours.some(({ load }) => load.failures > 0) ? 1 : 0
  } finally {
    await cleanUp()
  }
}

if (process.argv.includes('--help')) {
  console.log(USAGE)
} else {
  process.exitCode = await main().catch((error: unknown) => {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  })
}
