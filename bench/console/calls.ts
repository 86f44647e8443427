import type { Browser } from '../../test/console-api/support/browser.ts'
import { median } from '../measuring/statistics.ts'
import type { Furnished } from './furnished.ts'

const DAY_MS = 86_400_000
const STEP_MS = 300_000
const TIMES = 15
const BOUND_MS = 300

/** What the overview and the requests page ask for, and the ways to narrow it. */
export function callsOf({ accountId, keyIds, settlements }: Furnished): string[] {
  const at = `/console/api/accounts/${accountId}`
  // From a whole day to the next five minutes, as the pages ask.
  const since = (days: number) => {
    const from = new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS)
    const to = new Date(Math.ceil(Date.now() / STEP_MS) * STEP_MS)
    return `from=${encodeURIComponent(from.toISOString())}&to=${encodeURIComponent(to.toISOString())}`
  }
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
    `${at}/settlements?limit=50&key_id=${keyIds[3]}&outcome=client_left`,
    `${at}/settlements?limit=50&model=sandbox-tools&outcome=supplier_failed&${since(60)}`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}&model=sandbox-tools&outcome=client_left&${since(60)}`,
    `${at}/settlements?limit=50&key_id=${keyIds[3]}&model=sandbox-tools&outcome=completed&${since(60)}`,
    `${at}/settlements?limit=50&model=no-such-model`,
    `${at}/settlements/req_${1_000_000_000 + Math.floor(settlements / 2)}`,
    `${at}/ledger?limit=50`,
    '/operator/v1/settlements?limit=50',
  ]
}

/** Prints how long each call takes, and gives those that take too long. */
export async function measureCalls(browser: Browser, account: Furnished): Promise<string[]> {
  const slow: string[] = []
  for (const call of callsOf(account)) {
    const times = await timesOf(browser, call)
    const shown = call.replace(/.*accounts\/[^/]+/, '').replaceAll(/(from|to)=[^&]+&?/g, '')
    const [usual, slowest] = [median(times), Math.max(...times)]
    const isSlow = usual >= BOUND_MS
    if (isSlow) slow.push(`${shown} takes ${usual.toFixed(0)} ms, over ${BOUND_MS}`)
    const figures = `median ${usual.toFixed(0).padStart(5)} ms, slowest ${slowest.toFixed(0).padStart(5)} ms`
    console.log(`  ${shown.padEnd(96)} ${figures}${isSlow ? `  OVER ${BOUND_MS} ms` : ''}`)
  }
  return slow
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
