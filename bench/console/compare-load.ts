import type { Browser } from '../../test/console-api/support/browser.ts'
import { BOOTSTRAP_KEY, type GatewayProcess } from '../../test/robustness/support/gateway-process.ts'
import { readProcessTree } from '../measuring/process-meter.ts'
import { median, middleInterval, quantile } from '../measuring/statistics.ts'
import { viewsOf } from './calls.ts'
import type { Furnished } from './furnished.ts'

const PAIRS = 60
const ROUND_MS = 1_200
const AT_ONCE = 8
const LOOK_EVERY_MS = 500
const MAX_SLOWDOWN = 0.05

export interface LoadSite {
  readonly gateway: GatewayProcess
  readonly browser: Browser
  readonly account: Furnished
}

/** What a round of requests came to. */
interface Round {
  readonly medianMs: number
  readonly lateMs: number
  readonly requestsPerSecond: number
  readonly cpuUsPerRequest: number
}

type Kind = 'alone' | 'used'

/**
 * Alternates rounds with and without a console user, and the order of each pair too, so that whatever
 * else the machine does affects both. Returns what is slower by more than is allowed.
 */
export async function compareLoad(site: LoadSite): Promise<string[]> {
  const rounds: Record<Kind, Round[]> = { alone: [], used: [] }
  const views = goRound(viewsOf(site.account))
  await loadFor(site.gateway, ROUND_MS)
  for (let pair = 0; pair < PAIRS; pair++) {
    const order: readonly Kind[] = pair % 2 === 0 ? ['alone', 'used'] : ['used', 'alone']
    for (const kind of order) {
      const user = kind === 'used' ? lookAround(site, views) : null
      rounds[kind].push(await loadFor(site.gateway, ROUND_MS))
      await user?.stop()
    }
  }
  console.log(
    `  request path, ${AT_ONCE} at once, ${PAIRS} pairs of rounds of ${ROUND_MS / 1_000} s, medians:`,
  )
  report(rounds, 'latency, ms', ({ medianMs }) => medianMs)
  report(rounds, 'latency of the slowest hundredth, ms', ({ lateMs }) => lateMs)
  report(rounds, 'requests a second', ({ requestsPerSecond }) => requestsPerSecond)
  report(rounds, "processor time a request, with the console's own share, us", (one) => one.cpuUsPerRequest)
  return judge(rounds)
}

function report(rounds: Record<Kind, Round[]>, what: string, of: (round: Round) => number): void {
  const ratios = ratiosOf(rounds, of)
  const { low, high } = middleInterval(ratios)
  const [alone, used] = [median(rounds.alone.map(of)), median(rounds.used.map(of))]
  console.log(
    `    ${what.padEnd(58)} ${alone.toFixed(2).padStart(9)} alone ${used.toFixed(2).padStart(9)} with the console, ` +
      `ratio ${median(ratios).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
  )
}

function ratiosOf({ alone, used }: Record<Kind, Round[]>, of: (round: Round) => number): number[] {
  return used.map((round, index) => {
    const other = alone[index]
    return other === undefined ? 1 : of(round) / of(other)
  })
}

/** The ratio is what counts; its interval tells whether this machine was quiet enough to know it. */
function judge(rounds: Record<Kind, Round[]>): string[] {
  const ratios = ratiosOf(rounds, ({ medianMs }) => medianMs)
  const { low, high } = middleInterval(ratios)
  const isWithin = median(ratios) <= 1 + MAX_SLOWDOWN
  const isCertain = isWithin ? high <= 1 + MAX_SLOWDOWN : low > 1 + MAX_SLOWDOWN
  const percent = ((median(ratios) - 1) * 100).toFixed(1)
  const finding = `the request path takes ${percent} % longer while the console is used, ${isWithin ? 'within' : 'NOT within'} ${MAX_SLOWDOWN * 100} %`
  console.log(`  ${finding}${isCertain ? '' : ' (the machine was too busy to be certain)'}`)
  return isWithin ? [] : [finding]
}

async function loadFor({ url, pid }: GatewayProcess, durationMs: number): Promise<Round> {
  const times: number[] = []
  const before = readProcessTree(pid)
  const startedAtMs = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, () => sendUntil(startedAtMs + durationMs, url, times)))
  const tookMs = performance.now() - startedAtMs
  const cpuUs = readProcessTree(pid).cpuUs - before.cpuUs
  return {
    medianMs: median(times),
    lateMs: quantile(times, 0.99),
    requestsPerSecond: (times.length * 1_000) / tookMs,
    cpuUsPerRequest: cpuUs / times.length,
  }
}

const BODY = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'ping' }] })
const HEADERS = { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' }

async function sendUntil(endMs: number, url: string, times: number[]): Promise<void> {
  while (performance.now() < endMs) {
    const startedAtMs = performance.now()
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: HEADERS,
      body: BODY,
    })
    await response.text()
    if (!response.ok) throw new Error(`the gateway refused a request with ${response.status}`)
    times.push(performance.now() - startedAtMs)
  }
}

/** All of them, again and again; a round is too short for all. */
function* goRound(calls: readonly string[]): Generator<string, never> {
  for (;;) yield* calls
}

/** A user with the overview and the requests page open, clicking about twice a second. */
function lookAround(
  { gateway: { url }, browser, account }: LoadSite,
  views: Iterator<string, never>,
): { stop(): Promise<void> } {
  const controller = new AbortController()
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const following = fetch(`${url}/console/api/accounts/${account.accountId}/events`, {
    headers: { cookie },
    signal: controller.signal,
  })
    .then((response) => response.text())
    .catch(() => '')
  const looking = (async () => {
    while (!controller.signal.aborted) {
      await browser.request(`GET ${views.next().value}`)
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
