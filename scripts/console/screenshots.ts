import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, signIn, visit } from '../../test/console/support/browser.ts'
import { fillRoute, isEntry, listRoutes, listViews, settle } from '../../test/console/support/pages.ts'
import { ensureChromium } from '../tests/chromium.ts'
import { type ConsoleStage, openConsoleStage } from './stage.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = join(ROOT, 'screenshots')
const CHOSEN = join(ROOT, 'docs/screenshots')

const WIDTHS = { narrow: 390, wide: 1440 } as const
const SCHEMES = ['light', 'dark'] as const
type Scheme = (typeof SCHEMES)[number]

/** Those shown in the README. */
const BEST: readonly {
  readonly name: string
  readonly route: string
  readonly width: number
  readonly scheme: Scheme
}[] = [
  { name: 'overview', route: '/overview?span=30d', width: 1280, scheme: 'light' },
  { name: 'keys', route: '/keys', width: 1280, scheme: 'light' },
  { name: 'request', route: '/requests/$id', width: 1280, scheme: 'dark' },
  { name: 'overview-phone', route: '/overview?span=30d', width: 390, scheme: 'dark' },
]

async function main(): Promise<void> {
  if (ensureChromium() === null) process.exit(1)
  const isBestOnly = process.argv.includes('--best')
  const stage = await openConsoleStage()
  const browser = await openBrowser()
  try {
    await takeBest(browser, stage)
    if (!isBestOnly) await takeAll(browser, stage)
  } finally {
    await browser.close()
    await stage.stop()
  }
}

async function takeBest(browser: Browser, stage: ConsoleStage): Promise<void> {
  mkdirSync(CHOSEN, { recursive: true })
  for (const { name, route, width, scheme } of BEST) {
    const page = await enter(browser, stage, { width, scheme })
    await open(page, stage, route)
    await page.screenshot({ path: join(CHOSEN, `${name}.png`) })
    await page.context().close()
  }
  console.log(`${BEST.length} screenshots for the README in ${CHOSEN}`)
}

/** Every page and view, whole, so that one can look at all of them. */
async function takeAll(browser: Browser, stage: ConsoleStage): Promise<void> {
  mkdirSync(ALL, { recursive: true })
  let count = 0
  for (const scheme of SCHEMES) {
    for (const [label, width] of Object.entries(WIDTHS)) {
      const stranger = (await visit(browser, stage.gateway.url, optionsOf({ width, scheme }))).page
      const page = await enter(browser, stage, { width, scheme })
      for (const route of [...listRoutes(), ...listViews()]) {
        const shown = isEntry(route) ? stranger : page
        await open(shown, stage, route)
        const name = route.slice(1).replaceAll(/[^a-z0-9-]+/gi, '_')
        await shown.screenshot({ path: join(ALL, `${name}.${label}.${scheme}.png`), fullPage: true })
        count += 1
      }
      await Promise.all([stranger.context().close(), page.context().close()])
    }
  }
  console.log(`${count} screenshots in ${ALL}`)
}

interface Look {
  readonly width: number
  readonly scheme: Scheme
}

const HEIGHT = 860

function optionsOf({ width, scheme }: Look) {
  return { viewport: { width, height: HEIGHT }, colorScheme: scheme }
}

async function enter(browser: Browser, stage: ConsoleStage, look: Look): Promise<Page> {
  const { page } = await visit(browser, stage.gateway.url, optionsOf(look))
  await signIn(page, stage.gateway.url, stage.admin)
  return page
}

async function open(page: Page, stage: ConsoleStage, route: string): Promise<void> {
  await page.goto(`${stage.gateway.url}/console${fillRoute(route, stage.ids)}`)
  await settle(page)
  await page.waitForLoadState('load')
}

await main()
