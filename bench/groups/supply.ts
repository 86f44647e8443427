import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/edges/storage/engines/sqlite.ts'
import { populate } from '../console/populate.ts'
import { type Measurement, measure } from '../measuring/measure.ts'
import { buildBody, type Scenario } from '../scenarios.ts'
import { megabytes, milliseconds, ratio, renderBudgets, renderTable } from '../table.ts'
import { dataFolderOf, startGateway } from '../targets/gateway.ts'
import type { Target } from '../targets/target.ts'
import { type Bench, failuresOf, type GroupResult, medianOf, roundsOf, warmUp } from './group.ts'

const KEYS = 10_000
const MODELS = 50
const SUPPLIERS = 10
/** A request must not notice how many others there could be. */
const ALLOWED = 1.1
const NAME = 'large'

const ONE_ROUTE: Scenario = {
  name: 'one route',
  connections: 16,
  maxSeconds: 1.5,
  maxRequests: 1_000_000,
  chunks: null,
  body: buildBody('whole reply', false),
}
const TEN_ROUTES: Scenario = {
  ...ONE_ROUTE,
  name: 'ten routes',
  body: buildBody('whole reply', false, 'bulk-7'),
}

/** Many keys and routes in the configuration, beside the same gateway with one key and two routes. */
export async function measureSupply(bench: Bench): Promise<GroupResult> {
  const { options, bare, gateway } = bench
  if (gateway === null) return { text: 'Supply: only the gateway has one', raw: [], failures: 0 }
  const large = await startLarge(bench)
  const turns: (readonly [Target, Scenario])[] = [
    [bare, ONE_ROUTE],
    [gateway, ONE_ROUTE],
    [large, ONE_ROUTE],
    [large, TEN_ROUTES],
  ]
  await warmUp([bare, gateway, large])
  for (const [target, scenario] of turns) await measure(target, scenario, 0)
  const measured: Measurement[] = []
  for (let round = 1; round <= roundsOf(options, 2); round++) {
    for (const [target, scenario] of turns) measured.push(await measure(target, scenario, round))
  }
  await large.process.stop()
  return { text: render(measured, turns), raw: measured, failures: failuresOf(measured) }
}

/** The database makes the keys itself, while no gateway has it open. */
async function startLarge(bench: Bench): Promise<Target> {
  const file = join(bench.folder, 'large-supply.yaml')
  writeFileSync(file, renderSupply(bench.upstreamPort))
  const plan = { name: NAME, environment: { TURNPIKE_SUPPLY: file } }
  const first = await startGateway(bench, plan)
  await first.process.stop()
  const database = await openSqlite(join(dataFolderOf(bench.folder, NAME), 'turnpike.db'))
  const [account] = await database.rows<{ id: string }>('select id from accounts limit 1', [])
  await populate(database, {
    accountId: account?.id ?? '',
    accounts: 100,
    keys: KEYS,
    users: 1,
    models: 1,
    suppliers: 1,
  })
  await database.close()
  return startGateway(bench, { ...plan, isConfigured: true })
}

function renderSupply(upstreamPort: number): string {
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
  return Bun.YAML.stringify({
    suppliers: numbers(SUPPLIERS).map((number) => ({
      id: `bulk-${number}`,
      type: 'openai-compatible',
      base_url: `http://127.0.0.1:${upstreamPort}/v1`,
      formats: ['chat-completion'],
      credentials: [{ label: 'only', secret: 'sk-upstream' }],
    })),
    models: numbers(MODELS).map((model) => ({
      id: `bulk-${model}`,
      owned_by: 'bench',
      display_name: `Bulk ${model}`,
      input_token_limit: 1_000_000,
      output_token_limit: 100_000,
      routes: numbers(SUPPLIERS).map((supplier) => ({
        supplier: `bulk-${supplier}`,
        upstream_model: 'bench-model',
        price: { input: '1.25', output: '10' },
      })),
    })),
  })
}

function render(measured: readonly Measurement[], turns: readonly (readonly [Target, Scenario])[]): string {
  const cpu = (target: string, scenario: string) =>
    medianOf(measured, { target, scenario }, ({ cpuUsPerRequest }) => cpuUsPerRequest)
  const rows = turns.map(([{ name: target }, { name: scenario }]) => {
    const of = (pick: (one: Measurement) => number) => medianOf(measured, { target, scenario }, pick)
    const us = cpu(target, scenario)
    return [
      `${target}, ${scenario}`,
      us.toFixed(1),
      ratio(us, cpu('bare', ONE_ROUTE.name)),
      ratio(us, cpu('gateway', ONE_ROUTE.name)),
      milliseconds(of(({ load }) => load.latencyUs.p99)),
      megabytes(of(({ residentBytes }) => residentBytes)),
    ]
  })
  const head = ['', 'CPU µs/request', '× bare', '× small', 'p99 ms', 'RSS MB']
  const routes = MODELS * SUPPLIERS
  const budget = {
    what: 'CPU with a large supply, × with a small one',
    measured: cpu(NAME, ONE_ROUTE.name) / cpu('gateway', ONE_ROUTE.name),
    allowed: ALLOWED,
  }
  return `${KEYS} keys and ${routes} routes, whole replies, 16 connections\n${renderTable([head, ...rows])}\n\n${renderBudgets([budget])}`
}
