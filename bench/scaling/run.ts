/**
 * What 1 to 1,000 nodes need, from what one request costs: `bun bench/scaling/run.ts nodeUs redisUs databaseUs`. The
 * numbers are measured elsewhere; this only plays them through.
 */
import { type Costs, DATABASE_CORES, PLANNED_SHARE } from './costs.ts'
import { playQueue } from './queue.ts'
import { spreadAccounts } from './shards.ts'

const NODES = [1, 3, 10, 30, 100, 300, 1_000]
const REQUESTS_OF_NODE = 1_000
// 3,000 requests a minute, the most a tier gives by itself.
const MAX_PER_ACCOUNT = 50
const ACCOUNTS_PER_REQUEST = 1
const LEAST_ACCOUNTS = 2_000
const CALLS_PLAYED = 1_000_000

/** The same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function planFor(nodes: number, costs: Costs): string {
  const perSecond = nodes * REQUESTS_OF_NODE
  const random = seeded(nodes)
  const accounts = Math.max(LEAST_ACCOUNTS, perSecond * ACCOUNTS_PER_REQUEST)
  const load = { perSecond, accounts, mostOfAccount: MAX_PER_ACCOUNT }
  // As many as are needed for the busiest to stay within its share.
  let shards = Math.max(1, Math.ceil((perSecond * costs.redisUs) / (PLANNED_SHARE * 1e6)))
  let spread = spreadAccounts(load, shards, random)
  const shareOf = () => (perSecond / shards) * spread.hottest * costs.redisUs * 1e-6
  while (shareOf() > PLANNED_SHARE) {
    shards += 1
    spread = spreadAccounts(load, shards, random)
  }
  const wait = playQueue({ share: shareOf(), serviceUs: costs.redisUs, calls: CALLS_PLAYED }, random)
  const cores = (perSecond * costs.nodeUs) / (PLANNED_SHARE * 1e6)
  const databases = (perSecond * costs.databaseUs) / (PLANNED_SHARE * DATABASE_CORES * 1e6)
  const rowsPerDay = perSecond * 86_400
  return [
    nodes,
    perSecond.toLocaleString('en'),
    cores.toFixed(1),
    shards,
    spread.hottest.toFixed(2),
    `${(shareOf() * 100).toFixed(0)} %`,
    (wait.p50Us / 1_000).toFixed(3),
    (wait.p99Us / 1_000).toFixed(3),
    databases < 0.1 ? databases.toFixed(2) : databases.toFixed(1),
    `${(rowsPerDay / 1e9).toFixed(2)} G`,
  ].join(' | ')
}

const [nodeUs, redisUs, databaseUs] = process.argv.slice(2).map(Number)
if (!nodeUs || !redisUs || !databaseUs) {
  console.error('usage: bun bench/scaling/run.ts <node µs> <Redis µs> <PostgreSQL µs>, each per request')
  process.exit(1)
}
const costs: Costs = { nodeUs, redisUs, databaseUs }
console.log(
  '| nodes | requests/s | node cores | Redis shards | busiest / mean | busiest used | wait p50 ms | p99 ms | PostgreSQL servers | rows a day |',
)
console.log('|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|')
for (const nodes of NODES) console.log(`| ${planFor(nodes, costs)} |`)
