import { accountEndpoints } from '../../src/edges/management-api/console/accounts.ts'
import { OPERATOR_DEFINITIONS } from '../../src/edges/management-api/operator/index.ts'
import type { Browser } from '../../test/console-api/support/browser.ts'
import { median } from '../measuring/statistics.ts'
import type { Furnished } from './furnished.ts'

const DAY_MS = 86_400_000
const STEP_MS = 300_000
const TIMES = 15
const BOUND_MS = 300

// From a whole day to the next five minutes, as the pages ask.
function since(days: number): string {
  const from = new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS)
  const to = new Date(Math.ceil(Date.now() / STEP_MS) * STEP_MS)
  return `from=${encodeURIComponent(from.toISOString())}&to=${encodeURIComponent(to.toISOString())}`
}

/** What the overview and the requests page ask for by themselves. */
export function viewsOf({ accountId, keyIds }: Furnished): string[] {
  const at = `/console/api/accounts/${accountId}`
  return [
    `${at}/overview?${since(7)}`,
    `${at}/overview?${since(90)}`,
    `${at}/usage?${since(7)}&granularity=hour&group_by=model&top=20`,
    `${at}/usage?${since(30)}&granularity=day&group_by=key&top=20`,
    `${at}/usage?${since(90)}&granularity=day&group_by=supplier&top=20`,
    `${at}/settlements?limit=50`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}`,
    `${at}/settlements?limit=50&model=sandbox-tools`,
    `${at}/settlements?limit=50&outcome=supplier_failed`,
  ]
}

/** The views, the ways to narrow and order each list, and every other list of both APIs. */
export function callsOf(account: Furnished): string[] {
  const { accountId, keyIds, settlements } = account
  const at = `/console/api/accounts/${accountId}`
  const operator = '/operator/v1'
  const calls = [
    ...viewsOf(account),
    `${at}/usage?${since(30)}&granularity=hour&group_by=model`,
    `${at}/usage?${since(30)}&granularity=day&group_by=key`,
    `${at}/usage?${since(90)}&granularity=day&group_by=none`,
    `${at}/settlements?limit=50&outcome=interrupted`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}&outcome=client_left`,
    `${at}/settlements?limit=50&model=sandbox-tools&outcome=supplier_failed&${since(60)}`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}&model=sandbox-tools&outcome=client_left&${since(60)}`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}&model=sandbox-tools&outcome=completed&${since(60)}`,
    `${at}/settlements?limit=50&model=no-such-model`,
    `${at}/settlements/req_${1_000_000_000 + Math.floor(settlements / 2) + 1}`,
    `${at}/keys?limit=50&search=bench%20499`,
    `${at}/keys?limit=50&sort=name`,
    `${at}/keys?limit=50&sort=-spent&state=not_revoked`,
    `${at}/keys?limit=50&state=limit_reached`,
    `${at}/keys?limit=200&ids=${keyIds.slice(0, 200).join(',')}`,
    `${at}/ledger?limit=50`,
    `${operator}/accounts?limit=50&search=bench%2099`,
    `${operator}/accounts?limit=50&sort=balance`,
    `${operator}/accounts?limit=50&sort=-name&tier=Enterprise`,
    `${operator}/users?limit=50&search=bench-99`,
    `${operator}/users?limit=50&sort=-email`,
    `${operator}/models?limit=50&search=model-99&sort=-display_name`,
    `${operator}/suppliers?limit=50&search=bench-9&sort=-type`,
    `${operator}/settlements?limit=50&account=${accountId}`,
    `${operator}/settlements?limit=50&model=sandbox-tools`,
    `${operator}/settlements?limit=50&outcome=supplier_failed`,
    `${operator}/usage?${since(7)}&granularity=hour&group_by=model`,
    `${operator}/usage?${since(30)}&granularity=day&group_by=account_id`,
    `${operator}/usage?${since(90)}&granularity=day`,
    `${operator}/usage?${since(90)}&granularity=day&group_by=supplier&account_id=${accountId}`,
    `${operator}/refusals/counts?span=hour&limit=200`,
    `${at}/client-sessions?limit=50`,
    `${operator}/client-sessions?limit=50`,
    ...explorationsOf(account),
  ]
  return [...new Set([...calls, ...everyListOf(account)])]
}

/** Explore over 90 days, by everything that can be told apart. */
function explorationsOf({ accountId, keyIds }: Furnished): string[] {
  const range = `${since(90)}&granularity=day`
  const ofAccount = `/console/api/accounts/${accountId}/explore?${range}`
  const ofAll = `/operator/v1/explore?${range}`
  return [
    ...['none', 'model', 'key', 'supplier'].map((by) => `${ofAccount}&metric=spend&group_by=${by}`),
    ...['none', 'model', 'supplier'].map((by) => `${ofAccount}&metric=duration_p95&group_by=${by}`),
    `${ofAccount}&metric=requests&group_by=key`,
    `${ofAccount}&metric=errors&group_by=code`,
    // Sessions and agents are counted from settlements, of which only so many are read.
    ...['session', 'agent'].map((by) => `${ofAccount}&metric=spend&group_by=${by}&key_id=${keyIds[3]}`),
    ...['none', 'account', 'model', 'key', 'supplier'].map((by) => `${ofAll}&metric=spend&group_by=${by}`),
    ...['none', 'account', 'model', 'supplier'].map((by) => `${ofAll}&metric=duration_p95&group_by=${by}`),
    `${ofAll}&metric=error_rate&group_by=code`,
  ]
}

interface Listed {
  readonly method: string
  readonly path: string
  readonly answer: { readonly isList: boolean; readonly isWholeList?: true }
}

/** Every list of both APIs as it comes, derived from the endpoints, so that a new one is measured too. */
function everyListOf({ accountId }: Furnished): string[] {
  const pathsOf = (definitions: readonly Listed[]) =>
    definitions
      .filter(({ method, answer }) => method === 'GET' && (answer.isList || answer.isWholeList))
      .map(({ path }) => path)
      // Asks the supplier itself.
      .filter((path) => !path.endsWith('/offers'))
  const places: Readonly<Record<string, string>> = { '/suppliers/:id': 'bench-0' }
  const fill = (path: string) => {
    const [, placed = 'accounts'] = /^(\/\w+\/:id)/.exec(path) ?? []
    return path.replace(':account', accountId).replace(':id', places[placed] ?? accountId)
  }
  return [
    ...pathsOf(accountEndpoints).map((path) => `/console/api${fill(path)}`),
    ...pathsOf(OPERATOR_DEFINITIONS).map((path) => `/operator/v1${fill(path)}`),
  ]
}

/** Prints how long each call takes, and gives those that take too long. */
export async function measureCalls(browser: Browser, account: Furnished): Promise<string[]> {
  const slow: string[] = []
  for (const call of callsOf(account)) {
    const times = await timesOf(browser, call)
    const shown = describe(call)
    const [usual, slowest] = [median(times), Math.max(...times)]
    const isSlow = usual >= BOUND_MS
    if (isSlow) slow.push(`${shown} takes ${usual.toFixed(0)} ms, over ${BOUND_MS}`)
    const figures = `median ${usual.toFixed(0).padStart(5)} ms, slowest ${slowest.toFixed(0).padStart(5)} ms`
    console.log(`  ${shown.padEnd(96)} ${figures}${isSlow ? `  OVER ${BOUND_MS} ms` : ''}`)
  }
  return slow
}

function describe(call: string): string {
  const days = /from=([^&]+)/.exec(call)?.[1]
  const range = days === undefined ? '' : `${daysSince(decodeURIComponent(days))} days: `
  return `${range}${call}`
    .replace(/\/console\/api\/accounts\/[^/]+/, 'account')
    .replace('/operator/v1', 'operator')
    .replaceAll(/(from|to)=[^&]+&?/g, '')
    .replace(/(ids=)[^&]+/, '$1(200 ids)')
}

function daysSince(from: string): number {
  return Math.floor((Date.now() - Date.parse(from)) / DAY_MS)
}

async function timesOf(browser: Browser, call: string): Promise<number[]> {
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) {
    const startedAtMs = performance.now()
    const { status, body } = await browser.request(`GET ${call}`)
    times.push(performance.now() - startedAtMs)
    if (status !== 200) throw new Error(`${call}: ${status} ${JSON.stringify(body)}`)
  }
  return times
}
