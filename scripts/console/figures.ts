import type { Browser, Page } from 'playwright-core'
import { openBrowser, signIn, visit } from '../../test/console/support/browser.ts'
import { settle } from '../../test/console/support/pages.ts'
import { ensureChromium } from '../tests/chromium.ts'
import { type ConsoleStage, openConsoleStage } from './stage.ts'

const RUNS = 5

/** What a visit with an empty cache costs. */
interface Figures {
  readonly scriptKb: number
  readonly styleKb: number
  readonly allKb: number
  readonly requests: number
  readonly firstContentfulPaintMs: number
  readonly largestContentfulPaintMs: number
  /** Time by which tasks of the main thread were longer than 50 ms, summed up. */
  readonly blockingMs: number
  readonly longTasks: number
  readonly layoutShift: number
}

const WATCH = `
  window.figures = { longest: [], largestMs: 0, shift: 0 }
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => figures.longest.push(duration)))
    .observe({ type: 'longtask', buffered: true })
  new PerformanceObserver((list) => list.getEntries().forEach(({ startTime }) => { figures.largestMs = startTime }))
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => {
    if (!hadRecentInput) figures.shift += value
  })).observe({ type: 'layout-shift', buffered: true })
`

const READ = `(() => {
  const loaded = performance.getEntriesByType('resource')
  const sizeOf = (ending) =>
    loaded.filter(({ name }) => name.endsWith(ending)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  const paint = performance.getEntriesByName('first-contentful-paint')[0]
  return {
    scriptKb: sizeOf('.js') / 1000,
    styleKb: sizeOf('.css') / 1000,
    allKb: sizeOf('') / 1000,
    requests: loaded.length + 1,
    firstContentfulPaintMs: paint ? paint.startTime : 0,
    largestContentfulPaintMs: figures.largestMs,
    blockingMs: figures.longest.reduce((sum, ms) => sum + ms - 50, 0),
    longTasks: figures.longest.length,
    layoutShift: figures.shift,
  }
})()`

async function main(): Promise<void> {
  if (ensureChromium() === null) process.exit(1)
  const stage = await openConsoleStage()
  const browser = await openBrowser()
  try {
    report('sign-in', await measure(() => visitSignIn(browser, stage)))
    report('overview', await measure(() => visitOverview(browser, stage)))
  } finally {
    await browser.close()
    await stage.stop()
  }
}

async function measure(take: () => Promise<Figures>): Promise<Figures[]> {
  const taken: Figures[] = []
  for (let run = 0; run < RUNS; run++) taken.push(await take())
  return taken
}

async function visitSignIn(browser: Browser, { gateway: { url } }: ConsoleStage): Promise<Figures> {
  const { page } = await visit(browser, url)
  await page.addInitScript(WATCH)
  await page.goto(`${url}/console/sign-in`)
  await page.getByLabel('E-mail').waitFor()
  return readAndClose(page)
}

/** Signed in already, but with nothing in the cache. */
async function visitOverview(browser: Browser, { gateway: { url }, admin }: ConsoleStage): Promise<Figures> {
  const { page } = await visit(browser, url)
  await signIn(page, url, admin)
  const cookies = await page.context().cookies()
  await page.context().close()
  const fresh = (await visit(browser, url)).page
  await fresh.context().addCookies(cookies)
  await fresh.addInitScript(WATCH)
  await fresh.goto(`${url}/console/overview`)
  await fresh.locator('figure.chart svg').first().waitFor()
  return readAndClose(fresh)
}

async function readAndClose(page: Page): Promise<Figures> {
  await settle(page)
  const figures = (await page.evaluate(READ)) as Figures
  await page.context().close()
  return figures
}

function report(page: string, taken: readonly Figures[]): void {
  const median = (name: keyof Figures) =>
    taken.map((one) => one[name]).toSorted((a, b) => a - b)[RUNS >> 1] ?? 0
  console.log(
    [
      `${page} (median of ${RUNS} visits with an empty cache)`,
      `  script ${median('scriptKb').toFixed(1)} KB, styles ${median('styleKb').toFixed(1)} KB, all ${median('allKb').toFixed(1)} KB compressed, in ${median('requests')} requests`,
      `  first contentful paint ${median('firstContentfulPaintMs').toFixed(0)} ms, largest ${median('largestContentfulPaintMs').toFixed(0)} ms`,
      `  ${median('longTasks')} long tasks, blocking for ${median('blockingMs').toFixed(0)} ms; layout shift ${median('layoutShift').toFixed(3)}`,
    ].join('\n'),
  )
}

await main()
