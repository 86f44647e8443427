/**
 * How fast the console answers with a million settlements in the database, and whether the request path suffers while
 * someone uses it: `bun bench/console.ts [settlements] [engine]`. PostgreSQL is the one of TEST_DATABASE_URL, else a
 * temporary one. The last line and the exit status give the verdict.
 */
import { writeTraffic } from '../scripts/console/traffic.ts'
import { findPostgres } from '../scripts/tests/postgres.ts'
import { type Site, testedEngines } from '../src/edges/storage/testing/engines.ts'
import { Browser } from '../test/console-api/support/browser.ts'
import {
  environmentOf,
  type GatewayProcess,
  startProcess,
  stopProcess,
} from '../test/robustness/support/gateway-process.ts'
import { measureCalls } from './console/calls.ts'
import { compareLoad } from './console/compare-load.ts'
import type { Furnished } from './console/furnished.ts'

const COUNT = Number(process.argv[2] ?? 1_000_000)
const ONLY = process.argv[3] ?? ''
const KEYS = 20
const START_ATTEMPTS = 3
const PASSWORD = 'bench-console-password-1'

async function main(): Promise<void> {
  const postgres = await findPostgres()
  if (postgres !== null) process.env.TEST_DATABASE_URL = postgres.url
  const faults: string[] = []
  try {
    for (const engine of testedEngines().filter(({ name }) => name.includes(ONLY))) {
      const site = await engine.makeSite()
      console.log(`\n${engine.name}, ${COUNT} settlements of one account`)
      try {
        faults.push(...(await measureAt(site)).map((fault) => `${engine.name}: ${fault}`))
      } finally {
        await site.remove()
      }
    }
  } finally {
    await postgres?.stop()
  }
  console.log(faults.length === 0 ? '\nVERDICT: passed' : `\nVERDICT: FAILED\n  ${faults.join('\n  ')}`)
  process.exit(faults.length === 0 ? 0 : 1)
}

/** What is not as it should be. */
async function measureAt(site: Site): Promise<string[]> {
  const environment = environmentOf(site.dataFolder, {
    ...(site.databaseUrl !== null && { DATABASE_URL: site.databaseUrl }),
  })
  let gateway: GatewayProcess | null = await start(environment)
  try {
    const account = await furnish(gateway)
    await stopProcess(gateway)
    gateway = null
    await fill(site, account)
    gateway = await start(environment)
    const browser = new Browser(gateway.url)
    await browser.signIn('bench@localhost', PASSWORD)
    return [...(await measureCalls(browser, account)), ...(await compareLoad({ gateway, browser, account }))]
  } finally {
    await stopProcess(gateway)
  }
}

/** On a busy machine the first start may take longer than a test would wait for it. */
async function start(environment: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startProcess(environment)
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

async function furnish(gateway: GatewayProcess): Promise<Furnished> {
  const { data } = await gateway.operator<{ data: { id: string }[] }>('GET', '/accounts')
  const accountId = data[0]?.id ?? ''
  await gateway.operator('PUT', `/accounts/${accountId}/tier`, {
    tier: 'Enterprise',
    rpm: 100_000_000,
    tpm: 2_000_000_000,
    reason: 'bench',
  })
  await gateway.operator('POST', '/users', {
    email: 'bench@localhost',
    password: PASSWORD,
    is_operator: true,
    account_id: accountId,
    role: 'owner',
  })
  const keyIds: string[] = []
  for (let number = 1; number <= KEYS; number++) {
    const key = { name: `Key ${number}` }
    keyIds.push((await gateway.operator<{ id: string }>('POST', `/accounts/${accountId}/keys`, key)).id)
  }
  return { accountId, keyIds, settlements: COUNT }
}

async function fill(site: Site, { accountId, keyIds }: Furnished): Promise<void> {
  const database = await site.openDatabase()
  const startedAtMs = performance.now()
  await writeTraffic(database, {
    accountId,
    keyIds,
    models: ['sandbox-chat', 'sandbox-reasoner', 'sandbox-tools', 'sandbox-image'],
    suppliers: ['sandbox-openai', 'sandbox-anthropic', 'sandbox-google'],
    count: COUNT,
    days: 90,
    nowMs: Date.now(),
  })
  if (site.databaseUrl !== null) await database.rows('analyze', [])
  await database.close()
  console.log(`filled in ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`)
}

await main()
