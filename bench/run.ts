import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Bench, Group } from './groups/group.ts'
import { measureMemory } from './groups/memory.ts'
import { measureRequests } from './groups/requests.ts'
import { measureSizes } from './groups/sizes.ts'
import { measureStart } from './groups/start.ts'
import { measureStrangers } from './groups/strangers.ts'
import { measureSupply } from './groups/supply.ts'
import { measureTail } from './groups/tail.ts'
import { measureWorkers } from './groups/workers.ts'
import { GROUP_NAMES, type GroupName, type Options, readOptions, USAGE } from './options.ts'
import { ProcessGroup } from './process-group.ts'
import { startBare } from './targets/bare.ts'
import { startBifrost } from './targets/bifrost.ts'
import { startCheckout } from './targets/checkout.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import { startLitellm } from './targets/litellm.ts'
import { startNginx } from './targets/nginx.ts'
import { startPortkey } from './targets/portkey.ts'
import type { Target, TargetContext } from './targets/target.ts'

const RESULTS = join(import.meta.dirname, 'results')

const GROUPS: Readonly<Record<GroupName, Group>> = {
  requests: measureRequests,
  sizes: measureSizes,
  tail: measureTail,
  workers: measureWorkers,
  strangers: measureStrangers,
  supply: measureSupply,
  memory: measureMemory,
  start: measureStart,
}

const PEERS = { nginx: startNginx, portkey: startPortkey, bifrost: startBifrost, litellm: startLitellm }
const PEER_NAMES = Object.keys(PEERS) as (keyof typeof PEERS)[]

async function prepare(options: Options, processes: ProcessGroup, folder: string): Promise<Bench> {
  const direct = await startDirect(processes)
  const context = { processes, upstreamPort: direct.port, folder }
  const bare = await startBare(context)
  const gateway = options.targets.has('gateway') ? await startGateway(context) : null
  const { against } = options
  const other = against === null ? null : await startCheckout(context, against, 'other')
  return { ...context, options, direct, bare, gateway, other, peers: await startPeers(options, context) }
}

async function startPeers(options: Options, context: TargetContext): Promise<Target[]> {
  const started: Target[] = []
  for (const name of PEER_NAMES.filter((peer) => options.targets.has(peer))) {
    const target = await PEERS[name](context)
    if (target === null) console.log(`${name} is left out: it is not found`)
    else started.push(target)
  }
  return started
}

/** Answers how many requests failed that should not have. */
async function runGroups(bench: Bench, file: string): Promise<number> {
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    bun: Bun.version,
  }
  const raw: Record<string, unknown> = {}
  let failures = 0
  for (const name of GROUP_NAMES.filter((group) => bench.options.groups.has(group))) {
    const startedAtMs = performance.now()
    const result = await GROUPS[name](bench)
    const seconds = (performance.now() - startedAtMs) / 1_000
    console.log(`\n${result.text}\n  (${name}: ${seconds.toFixed(0)} s)`)
    raw[name] = result.raw
    failures += result.failures
    if (result.failures > 0) console.log(`  FAILED REQUESTS: ${result.failures}`)
    // After every group, so that a run that is cut short leaves what it has.
    const { isLong, streams } = bench.options
    writeFileSync(file, JSON.stringify({ at: new Date(), machine, isLong, streams, groups: raw }, null, 1))
  }
  console.log(`\nraw numbers: ${file}`)
  return failures
}

function resultFile(): string {
  mkdirSync(RESULTS, { recursive: true })
  return join(RESULTS, `${new Date().toISOString().replace(/[:.]/g, '-')}.json`)
}

async function main(): Promise<number> {
  if (!existsSync('/proc/self/stat')) {
    console.error('the benchmark reads CPU time from /proc and therefore runs on Linux only')
    return 1
  }
  const options = readOptions(process.argv.slice(2))
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  const processes = new ProcessGroup(folder)
  try {
    const bench = await prepare(options, processes, folder)
    return (await runGroups(bench, resultFile())) > 0 ? 1 : 0
  } finally {
    await processes.stop()
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
