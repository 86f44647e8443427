import { join } from 'node:path'
import { readProcessTree, readRunTimeMs } from '../measuring/process-meter.ts'
import { median } from '../measuring/statistics.ts'
import { findFreePort, type StartedProcess } from '../process-group.ts'
import { megabytes, renderBudgets, renderTable } from '../table.ts'
import { type Bench, type GroupResult, roundsOf } from './group.ts'

const ROOT = join(import.meta.dirname, '../..')
// What `npm start` runs; npm itself takes longer on some machines than on others.
const PROGRAM = join(ROOT, 'scripts/start.ts')
const BUILD = join(ROOT, 'scripts/build-console.ts')
const LOOK_MS = 5
const PATIENCE_MS = 60_000
const SETTLE_MS = 20_000
const ALLOWED = { startMs: 1_000, idlePercent: 0.3, idleMb: 90 }

interface Start {
  readonly isFirst: boolean
  readonly firstAnswerMs: number
  readonly cpuMs: number
}

interface Idle {
  readonly cpuPercent: number
  readonly residentBytes: number
}

/** From the command to the first answer, with the console built before; then what it takes while nobody asks. */
export async function measureStart(bench: Bench): Promise<GroupResult> {
  if (!bench.options.targets.has('gateway'))
    return { text: 'Start: only of the gateway', raw: [], failures: 0 }
  Bun.spawnSync([process.execPath, BUILD, '--when-stale'], { cwd: ROOT, stdout: 'ignore' })
  const starts: Start[] = []
  const count = roundsOf(bench.options, 3) + 1
  let idle: Idle | null = null
  for (let number = 0; number < count; number++) {
    const port = await findFreePort()
    const startedAtMs = performance.now()
    const started = bench.processes.start({
      name: 'start',
      command: [process.execPath, PROGRAM],
      environment: { PORT: String(port), TURNPIKE_DATA: join(bench.folder, 'data-start') },
    })
    await firstAnswer(started, port)
    const firstAnswerMs = performance.now() - startedAtMs
    const cpuMs = readProcessTree(started.pid).cpuUs / 1_000
    starts.push({ isFirst: number === 0, firstAnswerMs, cpuMs })
    if (number === count - 1) idle = await watchIdle(started, bench.options.isLong ? 60 : 10)
    await started.stop()
  }
  return { text: render(starts, idle), raw: { starts, idle }, failures: 0 }
}

async function firstAnswer(started: StartedProcess, port: number): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS
  while (performance.now() < deadlineMs && started.isRunning()) {
    // A connection that stays open would be looked after while the gateway is meant to be idle.
    const headers = { connection: 'close' }
    const reply = await fetch(`http://127.0.0.1:${port}/healthz`, { headers }).catch(() => null)
    if (reply?.ok) return
    await Bun.sleep(LOOK_MS)
  }
  throw new Error(`the gateway did not answer. It printed:\n${started.tail()}`)
}

async function watchIdle({ pid }: StartedProcess, seconds: number): Promise<Idle> {
  await Bun.sleep(SETTLE_MS)
  const before = { atMs: performance.now(), runMs: readRunTimeMs(pid) }
  await Bun.sleep(seconds * 1_000)
  const passedMs = performance.now() - before.atMs
  return {
    cpuPercent: (100 * (readRunTimeMs(pid) - before.runMs)) / passedMs,
    residentBytes: readProcessTree(pid).residentBytes,
  }
}

function render(starts: readonly Start[], idle: Idle | null): string {
  const of = (isFirst: boolean, pick: (start: Start) => number) =>
    median(starts.filter((start) => start.isFirst === isFirst).map(pick))
  const rows = [true, false].map((isFirst) => [
    isFirst ? 'first, with an empty data folder' : 'later ones',
    of(isFirst, ({ firstAnswerMs }) => firstAnswerMs).toFixed(0),
    of(isFirst, ({ cpuMs }) => cpuMs).toFixed(0),
  ])
  const table = renderTable([['start', 'first answer ms', 'CPU ms'], ...rows])
  const { cpuPercent = 0, residentBytes = 0 } = idle ?? {}
  const resting = `  idle: ${cpuPercent.toFixed(2)} % of a core, ${megabytes(residentBytes)} MB`
  return `Start as \`npm start\` does it, with a built console\n${table}\n${resting}\n\n${renderBudgets([
    {
      what: 'first answer of a later start, ms',
      measured: of(false, ({ firstAnswerMs }) => firstAnswerMs),
      allowed: ALLOWED.startMs,
    },
    { what: 'idle CPU, % of a core', measured: cpuPercent, allowed: ALLOWED.idlePercent },
    { what: 'idle memory, MB', measured: residentBytes / 1_048_576, allowed: ALLOWED.idleMb },
  ])}`
}
