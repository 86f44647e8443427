/**
 * What several nodes cost: the same gateway with PostgreSQL alone and with Redis beside it, taking turns; then as many
 * streams at once as one node and as three nodes are to hold. `bun bench/nodes.ts`, on a machine with PostgreSQL and Redis.
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { Redis } from 'ioredis'
import { startOwnPostgres } from '../scripts/tests/postgres.ts'
import { startOwnRedis } from '../scripts/tests/redis.ts'
import { type Measurement, measure, runLoad } from './measuring/measure.ts'
import { readProcessTree } from './measuring/process-meter.ts'
import { median } from './measuring/statistics.ts'
import { ProcessGroup } from './process-group.ts'
import { makePlan, type Scenario } from './scenarios.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import type { Target, TargetContext } from './targets/target.ts'

const ROUNDS = 7
const SECRET = { TURNPIKE_SECRET: 'bench-server-secret-0123456789' }
const BOUNDS = { addedMs: 0.5, addedCpuUs: 60 }

interface Stores {
  readonly alone: string
  readonly shared: string
  readonly redisUrl: string
  readonly redisPid: number
  readonly postgresPid: number
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-nodes-'))
  const processes = new ProcessGroup(folder)
  const postgres = await startOwnPostgres()
  const redis = await startOwnRedis()
  if (postgres === null || redis === null) throw new Error('PostgreSQL and Redis must be installed')
  try {
    const stores = {
      alone: await makeDatabase(postgres.url, 'alone'),
      shared: await makeDatabase(postgres.url, 'shared'),
      redisUrl: redis.url,
      redisPid: await pidOfRedis(redis.url),
      postgresPid: await pidOfPostgres(postgres.url),
    }
    const direct = await startDirect(processes)
    const context = { processes, upstreamPort: direct.port, folder }
    const shared = await compare(context, stores)
    await crowd([shared], 2_000)
    const others = await Promise.all([2, 3].map((number) => startSharing(context, stores, number)))
    await crowd([shared, ...others], 5_000)
  } finally {
    await processes.stop()
    await redis.stop()
    await postgres.stop()
  }
}

function startSharing(context: TargetContext, stores: Stores, number: number): Promise<Target> {
  return startGateway(context, {
    name: `node-${number}`,
    environment: { ...SECRET, DATABASE_URL: stores.shared, REDIS_URL: stores.redisUrl },
    isConfigured: number > 1,
  })
}

/** The node with Redis is given back, warm. */
async function compare(context: TargetContext, stores: Stores): Promise<Target> {
  const environment = { ...SECRET, DATABASE_URL: stores.alone }
  const alone = await startGateway(context, { name: 'alone', environment })
  const shared = await startSharing(context, stores, 1)
  const plan = makePlan(false)
  for (const scenario of plan.warmUp.slice(0, 1)) {
    for (const target of [alone, shared]) await measure(target, scenario, 0)
  }
  const [whole, single] = plan.repeated
  if (whole === undefined || single === undefined) throw new Error('the plan has no whole replies')
  const taken: Measurement[] = []
  const redisUs: number[] = []
  const databaseUs: number[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    taken.push(await measure(alone, whole, round))
    const before = { redis: cpuOf(stores.redisPid), database: cpuOf(stores.postgresPid) }
    const withRedis = await measure(shared, whole, round)
    redisUs.push((cpuOf(stores.redisPid) - before.redis) / withRedis.load.requests)
    databaseUs.push((cpuOf(stores.postgresPid) - before.database) / withRedis.load.requests)
    taken.push(withRedis, await measure(alone, single, round), await measure(shared, single, round))
  }
  report(taken, { redisUs: median(redisUs), databaseUs: median(databaseUs) })
  return shared
}

function cpuOf(pid: number): number {
  return readProcessTree(pid).cpuUs
}

function report(
  taken: readonly Measurement[],
  { redisUs, databaseUs }: { readonly redisUs: number; readonly databaseUs: number },
): void {
  const of = (target: string, scenario: string, value: (one: Measurement) => number) =>
    median(taken.filter((one) => one.target === target && one.scenario === scenario).map(value))
  const cpu = (target: string) => of(target, 'whole', (one) => one.cpuUsPerRequest)
  const p50 = (target: string) => of(target, 'whole-alone', (one) => one.load.latencyUs.p50 / 1_000)
  const failures = taken.reduce((sum, { load }) => sum + load.failures, 0)
  const addedCpuUs = cpu('node-1') - cpu('alone')
  const addedMs = p50('node-1') - p50('alone')
  console.log(`
| whole replies, all features on | PostgreSQL | PostgreSQL and Redis | added | bound |
|---|--:|--:|--:|--:|
| node, CPU µs per request | ${cpu('alone').toFixed(1)} | ${cpu('node-1').toFixed(1)} | ${addedCpuUs.toFixed(1)} | ${BOUNDS.addedCpuUs} |
| alone, p50 ms | ${p50('alone').toFixed(3)} | ${p50('node-1').toFixed(3)} | ${addedMs.toFixed(3)} | ${BOUNDS.addedMs} |
| Redis, CPU µs per request | – | ${redisUs.toFixed(1)} | | |
| PostgreSQL, CPU µs per request | | ${databaseUs.toFixed(1)} | | |

failures: ${failures}`)
}

/** Many streams at once, spread over the nodes; memory is looked at while all are open. */
async function crowd(nodes: readonly Target[], streams: number): Promise<void> {
  const each = Math.ceil(streams / nodes.length)
  const body = JSON.stringify({
    model: 'bench-model',
    messages: [{ role: 'user', content: 'chunks=60 gap=200' }],
    max_tokens: 512,
    stream: true,
  })
  const scenario: Scenario = {
    name: 'crowd',
    connections: each,
    maxSeconds: 1,
    maxRequests: each,
    chunks: 60,
    body,
  }
  const memory = () => nodes.reduce((sum, node) => sum + readProcessTree(node.process.pid).residentBytes, 0)
  const before = memory()
  let peak = before
  const look = setInterval(() => {
    peak = Math.max(peak, memory())
  }, 200)
  const loads = await Promise.all(nodes.map((node) => runLoad(node, scenario)))
  clearInterval(look)
  const requests = loads.reduce((sum, load) => sum + load.requests, 0)
  const failures = loads.reduce((sum, load) => sum + load.failures, 0)
  const reason = loads.map(({ firstFailure }) => firstFailure).find((first) => first !== null) ?? null
  console.log(
    `${requests} streams at once on ${nodes.length} node${nodes.length === 1 ? '' : 's'}: ${failures} failures${reason === null ? '' : ` (${reason})`}, ` +
      `${((peak - before) / requests / 1024).toFixed(1)} KiB for each (${(before / 2 ** 20).toFixed(0)} to ${(peak / 2 ** 20).toFixed(0)} MiB in all)`,
  )
}

async function pidOfRedis(redisUrl: string): Promise<number> {
  const client = new Redis(redisUrl)
  const information = await client.info('server')
  client.disconnect()
  return Number(/process_id:(\d+)/.exec(information)?.[1])
}

/** The parent of the process that serves a connection. */
async function pidOfPostgres(url: string): Promise<number> {
  const sql = new SQL(url, { max: 1 })
  const [row] = await sql.unsafe('select pg_backend_pid() as pid')
  const status = readFileSync(`/proc/${row.pid}/status`, 'utf8')
  await sql.close()
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
}

async function makeDatabase(server: string, name: string): Promise<string> {
  const sql = new SQL(server, { max: 1 })
  await sql.unsafe(`create database bench_${name}`)
  await sql.close()
  const url = new URL(server)
  url.pathname = `/bench_${name}`
  return url.href
}

await main()
