/**
 * How fast the console answers with a million settlements in the database, how soon its pages show their first rows, and
 * whether the request path suffers while someone uses it: `bun bench/console.ts [settlements] [engine]`. PostgreSQL is the
 * one of TEST_DATABASE_URL, else a temporary one. The last line and the exit status give the verdict.
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
import { measureFirstRows } from './console/first-rows.ts'
import type { Furnished } from './console/furnished.ts'
import { ACCOUNT_PREFIX, KEY_PREFIX, OTHER_KEY_PREFIX, populate } from './console/populate.ts'

const COUNT = Number(process.argv[2] ?? 1_000_000)
const ONLY = process.argv[3] ?? ''
const KEYS = 5_000
const ACCOUNTS = 1_000
const START_ATTEMPTS = 3
const PASSWORD = 'bench-console-password-1'

async function main(): Promise<void> {
  const postgres = await findPostgres()
  if (postgres !== null) process.env.TEST_DATABASE_URL = postgres.url
  const faults: string[] = []
  try {
    for (const engine of testedEngines().filter(({ name }) => name.includes(ONLY))) {
      const site = await engine.makeSite()
      console.log(`\n${engine.name}, ${COUNT} settlements, ${KEYS} keys, ${ACCOUNTS} accounts`)
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
    return [
      ...(await measureCalls(browser, account)),
      ...(await measureFirstRows(gateway.url, browser, account)),
      ...(await compareLoad({ gateway, browser, account })),
    ]
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
  const keyIds = Array.from({ length: KEYS }, (_, number) => `${KEY_PREFIX}${number}`)
  return { accountId, keyIds, settlements: COUNT }
}

async function fill(site: Site, { accountId }: Furnished): Promise<void> {
  const database = await site.openDatabase()
  const startedAtMs = performance.now()
  await populate(database, {
    accountId,
    accounts: ACCOUNTS,
    keys: KEYS,
    users: 2_000,
    models: 1_000,
    suppliers: 100,
  })
  await writeTraffic(database, {
    accountId,
    keyIds: { prefix: KEY_PREFIX, count: KEYS },
    others: { accounts: { prefix: ACCOUNT_PREFIX, count: ACCOUNTS }, keyPrefix: OTHER_KEY_PREFIX },
    models: ['sandbox-chat', 'sandbox-reasoner', 'sandbox-tools', 'sandbox-image'],
    suppliers: ['sandbox-openai', 'sandbox-anthropic', 'sandbox-google'],
    count: COUNT,
    days: 90,
    nowMs: Date.now(),
  })
  // PostgreSQL would begin this by itself some minutes later, in the middle of what is measured.
  if (site.databaseUrl !== null) await database.rows('vacuum analyze', [])
  await database.close()
  console.log(`filled in ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`)
}

await main()
