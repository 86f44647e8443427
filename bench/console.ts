/**
 * How fast the console answers with a million settlements in the database, and whether the request path suffers while
 * somebody uses it. `bun bench/console.ts [settlements] [engine]`; with TEST_DATABASE_URL also on PostgreSQL.
 */
import { writeTraffic } from '../scripts/console-traffic.ts'
import { type Site, testedEngines } from '../src/edges/storage/testing/engines.ts'
import { Browser } from '../test/console-api/support/browser.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  startProcess,
  stopProcess,
} from '../test/robustness/support/gateway-process.ts'
import { median, quantile } from './statistics.ts'

const COUNT = Number(process.argv[2] ?? 1_000_000)
const ONLY = process.argv[3] ?? ''
const DAY_MS = 86_400_000
const TIMES = 15
const KEYS = 20
const ROUNDS = 21
const ROUND_MS = 1_000
const START_ATTEMPTS = 3
const AT_ONCE = 8
const PASSWORD = 'bench-console-password-1'

async function main(): Promise<void> {
  for (const engine of testedEngines().filter(({ name }) => name.includes(ONLY))) {
    const site = await engine.makeSite()
    console.log(`\n${engine.name}, ${COUNT} settlements of one account`)
    try {
      await measureAt(site)
    } finally {
      await site.remove()
    }
  }
}

async function measureAt(site: Site): Promise<void> {
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
    await measureCalls(browser, account)
    await compareLoad(gateway, browser, account)
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

interface Furnished {
  readonly accountId: string
  readonly keyIds: readonly string[]
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
  return { accountId, keyIds }
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

/** What the overview and the requests page ask for, and the ways to narrow it. */
function callsOf({ accountId, keyIds }: Furnished): string[] {
  const at = `/console/api/accounts/${accountId}`
  const since = (days: number) =>
    `from=${encodeURIComponent(new Date(Date.now() - days * DAY_MS).toISOString())}&to=${encodeURIComponent(new Date().toISOString())}`
  return [
    `${at}/overview?${since(7)}`,
    `${at}/overview?${since(90)}`,
    `${at}/usage?${since(7)}&granularity=hour&group_by=model`,
    `${at}/usage?${since(30)}&granularity=day&group_by=key`,
    `${at}/usage?${since(90)}&granularity=day&group_by=supplier`,
    `${at}/settlements?limit=50`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}`,
    `${at}/settlements?limit=50&model=sandbox-tools`,
    `${at}/settlements?limit=50&outcome=supplier_failed`,
    `${at}/settlements?limit=50&outcome=interrupted`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}&model=sandbox-tools&outcome=client_left&${since(60)}`,
    `${at}/settlements?limit=50&model=no-such-model`,
    `${at}/settlements/req_${1_000_000_000 + Math.floor(COUNT / 2)}`,
    `${at}/ledger?limit=50`,
    '/operator/v1/settlements?limit=50',
  ]
}

async function measureCalls(browser: Browser, account: Furnished): Promise<void> {
  for (const call of callsOf(account)) {
    const times: number[] = []
    for (let time = 0; time < TIMES; time++) {
      const startedAtMs = performance.now()
      const { status, body } = await browser.request(`GET ${call}`)
      times.push(performance.now() - startedAtMs)
      if (status !== 200) throw new Error(`${call}: ${status} ${JSON.stringify(body)}`)
    }
    const shown = call.replace(/.*accounts\/[^/]+/, '').replaceAll(/(from|to)=[^&]+&?/g, '')
    const verdict = median(times) < 300 ? '' : '  OVER 300 ms'
    console.log(
      `  ${shown.padEnd(78)} median ${median(times).toFixed(0).padStart(5)} ms, slowest ${Math.max(...times)
        .toFixed(0)
        .padStart(5)} ms${verdict}`,
    )
  }
}

/** Rounds with and without somebody at the console take turns, so that what else the machine does hits both. */
async function compareLoad(gateway: GatewayProcess, browser: Browser, account: Furnished): Promise<void> {
  const rounds: Record<'quiet' | 'used', number[]> = { quiet: [], used: [] }
  await loadFor(gateway.url, ROUND_MS / 2)
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? (['quiet', 'used'] as const) : (['used', 'quiet'] as const)
    for (const kind of order) {
      const user = kind === 'used' ? lookAround(gateway.url, browser, account) : null
      rounds[kind].push(await loadFor(gateway.url, ROUND_MS))
      await user?.stop()
    }
  }
  const ratios = rounds.used.map((value, index) => value / (rounds.quiet[index] ?? value))
  console.log(
    `  request path, median latency at ${AT_ONCE} at once: ${median(rounds.quiet).toFixed(2)} ms alone, ` +
      `${median(rounds.used).toFixed(2)} ms with the console in use; ratio of ${ROUNDS} pairs of rounds: median ` +
      `${median(ratios).toFixed(3)}, middle half ${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`,
  )
}

/** Sends requests for a while and gives the median latency. */
async function loadFor(url: string, durationMs: number): Promise<number> {
  const endMs = performance.now() + durationMs
  const times: number[] = []
  const body = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'ping' }] })
  const headers = { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' }
  const send = async () => {
    while (performance.now() < endMs) {
      const startedAtMs = performance.now()
      const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
      await response.text()
      if (!response.ok) throw new Error(`the gateway refused a request with ${response.status}`)
      times.push(performance.now() - startedAtMs)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  return median(times)
}

const LOOK_EVERY_MS = 500

/** Somebody with the overview and the requests page open, who clicks about twice a second. */
function lookAround(url: string, browser: Browser, account: Furnished): { stop(): Promise<void> } {
  const controller = new AbortController()
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const following = fetch(`${url}/console/api/accounts/${account.accountId}/events`, {
    headers: { cookie },
    signal: controller.signal,
  })
    .then((response) => response.text())
    .catch(() => '')
  const looking = (async () => {
    const calls = callsOf(account).slice(0, 9)
    for (let turn = 0; !controller.signal.aborted; turn++) {
      await browser.request(`GET ${calls[turn % calls.length]}`)
      await Bun.sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    stop: async () => {
      controller.abort()
      await Promise.all([following, looking])
    },
  }
}

await main()
