import type { Browser as Chromium } from 'playwright-core'
import { CHROMIUM, DESKTOP, openBrowser } from '../../test/console/support/browser.ts'
import type { Browser } from '../../test/console-api/support/browser.ts'
import { median } from '../measuring/statistics.ts'
import type { Furnished } from './furnished.ts'

const TIMES = 3
const BOUND_MS = 1_000
// Rows that only wait for their data do not count.
const ROW = 'tbody tr td:not(:has(.mantine-Skeleton-root))'
const CHART = '.recharts-surface'

/** Pages with long lists or charts, and what on them shows the first data. */
function pagesOf({ accountId, keyIds }: Furnished): readonly (readonly [path: string, data: string])[] {
  return [
    ['/overview', CHART],
    ['/overview?by=key&span=30d', CHART],
    ['/explore?by=key&span=90d', CHART],
    ['/requests', ROW],
    [`/requests?key=${keyIds[3]}`, ROW],
    ['/requests?view=sessions', ROW],
    ['/keys', ROW],
    ['/billing', ROW],
    ['/operator', CHART],
    ['/operator/accounts', ROW],
    [`/operator/accounts/${accountId}`, CHART],
    ['/operator/settlements', ROW],
    ['/operator/explore?by=account&span=90d', CHART],
    ['/operator/models', ROW],
    ['/operator/users', ROW],
  ]
}

/** Prints how long a page takes from the click on a link to its first row or chart, and gives those that take too long. */
export async function measureFirstRows(url: string, visitor: Browser, account: Furnished): Promise<string[]> {
  if (CHROMIUM === null) return ['there is no Chromium, so no page was opened']
  const browser = await openBrowser()
  const slow: string[] = []
  try {
    for (const [path, data] of pagesOf(account)) {
      const times: number[] = []
      for (let time = 0; time < TIMES; time++) times.push(await timeOf(browser, { url, visitor, path, data }))
      const usual = median(times)
      // A chart has no rows, and most of its time is that of the browser that draws it.
      const isSlow = data === ROW && usual >= BOUND_MS
      const shown = path.replace(account.accountId, '(account)')
      if (isSlow) slow.push(`${shown} shows its first data after ${usual.toFixed(0)} ms, over ${BOUND_MS}`)
      const figures = `first data after ${usual.toFixed(0).padStart(5)} ms, slowest ${Math.max(...times)
        .toFixed(0)
        .padStart(5)} ms`
      console.log(`  ${shown.padEnd(60)} ${figures}${isSlow ? `  OVER ${BOUND_MS} ms` : ''}`)
    }
  } finally {
    await browser.close()
  }
  return slow
}

interface Opening {
  readonly url: string
  readonly visitor: Browser
  readonly path: string
  readonly data: string
}

/** In a browser that has the console open on another page, and nothing of this one. */
async function timeOf(browser: Chromium, { url, visitor, path, data }: Opening): Promise<number> {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
  try {
    await context.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url })))
    const page = await context.newPage()
    await page.goto(`${url}/console/connect`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const startedAtMs = performance.now()
    await page.evaluate(`
      history.pushState(null, '', ${JSON.stringify(`/console${path}`)})
      dispatchEvent(new PopStateEvent('popstate'))
    `)
    await page.locator(data).first().waitFor({ state: 'attached' })
    return performance.now() - startedAtMs
  } finally {
    await context.close()
  }
}
