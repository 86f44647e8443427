import { administer, type OwnRedis, startOwnRedis } from '../scripts/tests/redis.ts'
import { openRedisLimits } from '../src/edges/redis/index.ts'
import type { RedisLimits } from '../src/edges/redis/redis-limits.ts'
import type { AdmitCall } from '../src/serve/ports/shared-limits.ts'
import type { KeyTotals } from '../src/serve/ports/shared-storage.ts'
import { median } from './measuring/statistics.ts'

/** What the limits store costs: `bun bench/redis.ts [calls]`, with its own Redis on this machine. */
const CALLS = Number(process.argv[2] ?? 10_000)
const ROUNDS = 4
const ACCOUNTS = 100
const GENERATION = 'bench'
// A node settles and learns in batches; this many requests of one account share one of each.
const BATCH = 4
const BOUNDS = { addedMedianMs: 0.5, nodeCpuUs: 60 }

interface Cost {
  readonly name: string
  readonly parallel: number
  readonly medianMs: number
  readonly nodeCpuUs: number
  readonly redisCpuUs: number
  readonly perSecond: number
}

interface Subject {
  readonly name: string
  /** Does it once; the number differs each time. */
  run(index: number): Promise<unknown>
}

async function loadAccounts(sharedLimits: RedisLimits): Promise<void> {
  await sharedLimits.beginGeneration(GENERATION)
  const total = { startDay: 0, spentNano: 0n }
  for (let index = 0; index < ACCOUNTS; index++) {
    const totals = { daily: total, weekly: total, monthly: total, forever: total }
    const keys: KeyTotals[] = [{ keyId: `key_${index}`, totals }]
    const balance = { balanceNano: 10n ** 18n, version: 1n }
    await sharedLimits.learn(`acc_${index}`, {
      generation: GENERATION,
      stored: [],
      balance,
      keys,
      isLoad: true,
    })
  }
}

function requestIdOf(index: number): string {
  return `req_${index.toString(16).padStart(24, '0')}`
}

function admitCall(index: number): AdmitCall {
  const owner = index % ACCOUNTS
  const window = (id: string, metric: 'requests' | 'tokens', amount: number) => ({
    id: `${id}:${metric}`,
    metric,
    limit: 1e9,
    amount,
  })
  return {
    requestId: requestIdOf(index),
    accountId: `acc_${owner}`,
    keyId: `key_${owner}`,
    generation: GENERATION,
    configurationVersion: 1,
    windows: [
      window(`account:acc_${owner}`, 'requests', 1),
      window(`account:acc_${owner}`, 'tokens', 1_200),
      window(`key:key_${owner}`, 'requests', 1),
      window(`key:key_${owner}`, 'tokens', 1_200),
    ],
    hold: {
      amountNano: 1_234_567n,
      creditLineNano: 0n,
      usageLimit: { period: 'monthly', amountNano: 10n ** 18n },
    },
    conversation: null,
  }
}

async function admitOrThrow(sharedLimits: RedisLimits, index: number): Promise<void> {
  const answer = await sharedLimits.admit(admitCall(index))
  if (answer.type !== 'admitted') throw new Error(`not admitted: ${JSON.stringify(answer)}`)
}

function takeCapacity(sharedLimits: RedisLimits): Promise<unknown> {
  const windows = (['requests', 'tokens'] as const).map((metric) => {
    return { id: `credential:c1:${metric}`, metric, limit: 1e9, amount: 1 }
  })
  return sharedLimits.takeCapacity(null, [windows, windows])
}

/** One request from admission to the stored settlement, with its share of the batched calls. */
async function serveOne(sharedLimits: RedisLimits, index: number): Promise<void> {
  await admitOrThrow(sharedLimits, index)
  await takeCapacity(sharedLimits)
  // Requests of one account are ACCOUNTS apart.
  const isLastOfBatch = Math.floor(index / ACCOUNTS) % BATCH === BATCH - 1
  if (!isLastOfBatch) return
  const [accountId, keyId] = [`acc_${index % ACCOUNTS}`, `key_${index % ACCOUNTS}`]
  const stored = Array.from({ length: BATCH }, (_, back) => requestIdOf(index - back * ACCOUNTS))
  const settled = stored.map((id) => ({ requestId: id, keyId, amountNano: 900_000n }))
  await sharedLimits.settle(accountId, settled)
  const total = { startDay: 0, spentNano: BigInt(index) }
  const totals = { daily: total, weekly: total, monthly: total, forever: total }
  const balance = { balanceNano: 10n ** 18n - BigInt(index), version: BigInt(index + 2) }
  const keys = [{ keyId, totals }]
  await sharedLimits.learn(accountId, { generation: GENERATION, stored, balance, keys, isLoad: false })
}

async function measure(subject: Subject, parallel: number, port: number): Promise<Cost> {
  let next = 0
  const times: number[] = []
  const work = async () => {
    while (next < CALLS) {
      const index = next++
      const start = performance.now()
      await subject.run(index)
      times.push(performance.now() - start)
    }
  }
  await administer(port, ['config', 'resetstat'])
  const redisBefore = await readRedisCpuUs(port)
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  await Promise.all(Array.from({ length: parallel }, work))
  const tookMs = performance.now() - start
  const cpu = process.cpuUsage(cpuBefore)
  return {
    name: subject.name,
    parallel,
    medianMs: median(times),
    nodeCpuUs: (cpu.user + cpu.system) / CALLS,
    redisCpuUs: ((await readRedisCpuUs(port)) - redisBefore) / CALLS,
    perSecond: (CALLS / tookMs) * 1000,
  }
}

interface Stage {
  readonly server: OwnRedis
  readonly sharedLimits: RedisLimits
}

/** The cheapest of some rounds: whatever else the machine does can only add to it. */
async function measureRounds(
  subject: Subject,
  parallel: number,
  { server, sharedLimits }: Stage,
): Promise<Cost> {
  const rounds: Cost[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await server.flush()
    await loadAccounts(sharedLimits)
    rounds.push(await measure(subject, parallel, server.port))
  }
  const least = (pick: (cost: Cost) => number) => Math.min(...rounds.map(pick))
  return {
    name: subject.name,
    parallel,
    medianMs: least(({ medianMs }) => medianMs),
    nodeCpuUs: least(({ nodeCpuUs }) => nodeCpuUs),
    redisCpuUs: least(({ redisCpuUs }) => redisCpuUs),
    perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
  }
}

async function readRedisCpuUs(port: number): Promise<number> {
  const text = String(await administer(port, ['info', 'cpu']))
  const read = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1] ?? 0)
  return (read('used_cpu_user') + read('used_cpu_sys')) * 1e6
}

function print(costs: readonly Cost[]): void {
  console.log('| what | in parallel | median ms | node CPU µs | Redis CPU µs | per second |')
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const cost of costs) {
    const numbers = [cost.medianMs.toFixed(3), cost.nodeCpuUs.toFixed(1), cost.redisCpuUs.toFixed(1)]
    console.log(`| ${[cost.name, cost.parallel, ...numbers, cost.perSecond.toFixed(0)].join(' | ')} |`)
  }
  console.log(
    `Bounds: ${BOUNDS.addedMedianMs} ms at the median, ${BOUNDS.nodeCpuUs} µs of the node per request.`,
  )
}

async function main(): Promise<number> {
  const server = await startOwnRedis()
  if (server === null) return 1
  const sharedLimits = openRedisLimits({
    url: server.url,
    nodeId: 'bench',
    deadlineMs: 1_000,
    onTrouble: (message) => console.error(message),
  })
  await new Promise<void>((resolve) => sharedLimits.onConnected(() => resolve()))
  const subjects: Subject[] = [
    { name: 'ask for the version', run: () => sharedLimits.configurationVersion() },
    { name: 'admit', run: (index) => admitOrThrow(sharedLimits, index) },
    { name: 'take capacity', run: () => takeCapacity(sharedLimits) },
    { name: 'whole request', run: (index) => serveOne(sharedLimits, index) },
  ]
  const stage = { server, sharedLimits }
  const costs: Cost[] = []
  try {
    for (const subject of subjects) {
      for (const parallel of [128, 16, 1]) costs.push(await measureRounds(subject, parallel, stage))
    }
  } finally {
    await sharedLimits.close()
    await server.stop()
  }
  print(costs)
  return 0
}

process.exit(await main())
