import type { LoadResult } from '../measuring/load-job.ts'
import { runLoad } from '../measuring/measure.ts'
import { readProcessTree } from '../measuring/process-meter.ts'
import { buildPrompt } from '../prompts.ts'
import { buildBody, type Scenario } from '../scenarios.ts'
import { megabytes, renderBudgets, renderTable } from '../table.ts'
import { startBare } from '../targets/bare.ts'
import { startGateway } from '../targets/gateway.ts'
import type { Target } from '../targets/target.ts'
import type { Bench, GroupResult } from './group.ts'

const LOOK_MS = 50
const IDLE_MS = 3_000
const HELD_BODIES = 40
const ALLOWED = { idleMb: 90, loadMb: 130, streamKb: 25, bodyMb: 2.2 }

interface Reading {
  readonly target: string
  readonly idleBytes: number
  readonly loadBytes: number
  readonly bytesPerStream: number
  readonly bytesPerBody: number
  readonly loads: readonly LoadResult[]
}

/** Memory of processes that have done nothing else before. */
export async function measureMemory(bench: Bench): Promise<GroupResult> {
  const { options } = bench
  const targets = [await startBare(bench, 'bare, fresh')]
  if (options.targets.has('gateway')) {
    targets.push(await startGateway(bench, { name: 'gateway, fresh', environment: {} }))
  }
  await Bun.sleep(IDLE_MS)
  const readings: Reading[] = []
  for (const target of targets) readings.push(await readAll(target, options.isLong))
  await Promise.all(targets.map((target) => target.process.stop()))
  const loads = readings.flatMap((reading) => reading.loads)
  return {
    text: render(readings, options.isLong),
    raw: readings,
    failures: loads.reduce((sum, { failures }) => sum + failures, 0),
  }
}

async function readAll(target: Target, isLong: boolean): Promise<Reading> {
  const streams = isLong ? 1_000 : 300
  const idleBytes = residentBytes(target)
  const small = await peakDuring(target, {
    ...SMALL,
    maxSeconds: isLong ? 20 : 3,
  })
  const open = await peakDuring(target, {
    ...SMALL,
    name: 'open streams',
    connections: streams,
    maxSeconds: 1,
    maxRequests: streams,
    chunks: 4,
    body: buildBody('chunks=4 gap=1000', true),
  })
  const held = await peakDuring(target, {
    ...SMALL,
    name: 'held bodies',
    connections: HELD_BODIES,
    maxSeconds: 1,
    maxRequests: HELD_BODIES,
    body: buildPrompt({ kilobytes: 1_000, script: 'wait=3000' }),
  })
  return {
    target: target.name,
    idleBytes,
    loadBytes: small.peakBytes,
    bytesPerStream: Math.max(0, open.peakBytes - open.beforeBytes) / streams,
    bytesPerBody: Math.max(0, held.peakBytes - held.beforeBytes) / HELD_BODIES,
    loads: [small.load, open.load, held.load],
  }
}

const SMALL: Scenario = {
  name: 'small requests',
  connections: 16,
  maxSeconds: 3,
  maxRequests: 10_000_000,
  chunks: null,
  body: buildBody('whole reply', false),
}

function residentBytes(target: Target): number {
  return readProcessTree(target.process.pid).residentBytes
}

async function peakDuring(target: Target, scenario: Scenario) {
  // What the load before has left is collected first, or it would hide what this one takes.
  await Bun.sleep(IDLE_MS / 2)
  const beforeBytes = residentBytes(target)
  let peakBytes = beforeBytes
  const look = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(target))
  }, LOOK_MS)
  const load = await runLoad(target, scenario)
  clearInterval(look)
  return { beforeBytes, peakBytes, load }
}

function render(readings: readonly Reading[], isLong: boolean): string {
  const kilobytes = (bytes: number) => (bytes / 1_024).toFixed(1)
  const head = ['', 'idle MB', 'small requests MB', 'each open stream KB', 'each held 1 MB body MB']
  const rows = readings.map((reading) => [
    reading.target,
    megabytes(reading.idleBytes),
    megabytes(reading.loadBytes),
    kilobytes(reading.bytesPerStream),
    (reading.bytesPerBody / 1_048_576).toFixed(2),
  ])
  const table = `Memory (RSS): idle, at most under small requests, and what ${isLong ? '1,000' : '300'} streams and ${HELD_BODIES} bodies add\n${renderTable([head, ...rows])}`
  const own = readings.find(({ target }) => target.startsWith('gateway'))
  if (own === undefined) return table
  return `${table}\n\n${renderBudgets([
    { what: 'idle, MB', measured: own.idleBytes / 1_048_576, allowed: ALLOWED.idleMb },
    { what: 'under small requests, MB', measured: own.loadBytes / 1_048_576, allowed: ALLOWED.loadMb },
    { what: 'each open stream, KB', measured: own.bytesPerStream / 1_024, allowed: ALLOWED.streamKb },
    { what: 'each held 1 MB body, MB', measured: own.bytesPerBody / 1_048_576, allowed: ALLOWED.bodyMb },
  ])}`
}
