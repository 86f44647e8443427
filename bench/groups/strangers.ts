import type { LoadResult } from '../measuring/load-job.ts'
import { type Measurement, measure, runLoad } from '../measuring/measure.ts'
import { median } from '../measuring/statistics.ts'
import { buildPrompt } from '../prompts.ts'
import { buildBody, type Scenario } from '../scenarios.ts'
import { milliseconds, ratio, renderBudgets, renderTable } from '../table.ts'
import { type Bench, type GroupResult, roundsOf, warmUp } from './group.ts'

/** Refusing a stranger must cost less than serving a customer, or strangers decide how many machines are needed. */
const ALLOWED_CPU = 1
const CUSTOMERS_PER_SECOND = 100

const RELAY: Scenario = {
  name: 'relay',
  connections: 16,
  maxSeconds: 2,
  maxRequests: 1_000_000,
  chunks: null,
  body: buildBody('whole reply', false),
}
const CUSTOMERS: Scenario = { ...RELAY, name: 'customers', ratePerSecond: CUSTOMERS_PER_SECOND }

const FLOODS: readonly Scenario[] = [
  { name: 'wrong keys, 1 KB', body: buildPrompt({ kilobytes: 1 }) },
  { name: 'wrong keys, 125 KB', body: buildPrompt({ kilobytes: 125 }) },
].map((flood) => ({ ...RELAY, ...flood, statuses: [401, 429] }))

interface Turn {
  readonly flood: string
  readonly refused: Measurement
  readonly customers: LoadResult
}

/** A flood of wrong keys: what each costs, and what customers notice of it. */
export async function measureStrangers(bench: Bench): Promise<GroupResult> {
  const { options, bare, gateway } = bench
  if (gateway === null) return { text: 'Strangers: only the gateway has keys', raw: [], failures: 0 }
  const stranger = { ...gateway, headers: { authorization: `Bearer sk-${'wrong0'.repeat(8)}` } }
  await warmUp([bare, gateway])
  for (const flood of FLOODS) await measure(stranger, flood, 0)
  const turns: Turn[] = []
  const alone: LoadResult[] = []
  const relayed: Measurement[] = []
  for (let round = 1; round <= roundsOf(options, 1); round++) {
    relayed.push(await measure(bare, RELAY, round))
    alone.push(await runLoad(gateway, CUSTOMERS))
    for (const flood of FLOODS) {
      const refused = await measure(stranger, flood, round)
      const [customers] = await Promise.all([runLoad(gateway, CUSTOMERS), runLoad(stranger, flood)])
      turns.push({ flood: flood.name, refused, customers })
    }
  }
  const failures = [...alone, ...turns.flatMap(({ refused, customers }) => [refused.load, customers])]
  return {
    text: render(turns, { alone, bareUs: median(relayed.map(({ cpuUsPerRequest }) => cpuUsPerRequest)) }),
    raw: { relayed, alone, turns },
    failures: failures.reduce((sum, load) => sum + load.failures, 0),
  }
}

function render(
  turns: readonly Turn[],
  { alone, bareUs }: { readonly alone: readonly LoadResult[]; readonly bareUs: number },
): string {
  const of = (flood: string, pick: (turn: Turn) => number) =>
    median(turns.filter((turn) => turn.flood === flood).map(pick))
  const cpu = (flood: string) => of(flood, ({ refused }) => refused.cpuUsPerRequest)
  const quiet = (pick: (load: LoadResult) => number) => milliseconds(median(alone.map(pick)))
  const rows = FLOODS.map(({ name }) => [
    name,
    cpu(name).toFixed(1),
    ratio(cpu(name), bareUs),
    of(name, ({ refused }) => refused.load.requests / refused.load.seconds).toFixed(0),
    milliseconds(of(name, ({ customers }) => customers.latencyUs.p50)),
    milliseconds(of(name, ({ customers }) => customers.latencyUs.p99)),
  ])
  const none = [
    'none',
    '',
    '',
    '',
    quiet(({ latencyUs }) => latencyUs.p50),
    quiet(({ latencyUs }) => latencyUs.p99),
  ]
  const head = ['flood', 'CPU µs/refusal', '× bare', 'refusals/s', 'customers p50 ms', 'p99 ms']
  const table = renderTable([head, none, ...rows])
  const budgets = FLOODS.map(({ name }) => ({
    what: `CPU per refusal, ${name}, × bare`,
    measured: cpu(name) / bareUs,
    allowed: ALLOWED_CPU,
  }))
  return `Strangers on 16 connections, beside ${CUSTOMERS_PER_SECOND} requests of customers a second\n${table}\n\n${renderBudgets(budgets)}`
}
