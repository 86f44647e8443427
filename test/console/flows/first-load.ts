import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { visit } from '../support/browser.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave } from '../support/visible.ts'

const BUDGET_BYTES = 300_000

/** Bytes of script as transferred. */
async function scriptBytes(page: Page): Promise<number> {
  return Number(
    await page.evaluate(
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)",
    ),
  )
}

/** The first load with an empty cache, so each test uses its own context. */
export function describeFirstLoad(stage: Stage): void {
  test(
    'loads under 300 KB of script for the sign-in page',
    async () => {
      const visitor = await visit(stage.browser, stage.url)
      const { page } = visitor
      await stage.go(page, '/sign-in')
      await page.getByLabel('E-mail').waitFor()
      const bytes = await scriptBytes(page)
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThan(BUDGET_BYTES)
      console.log(`sign-in: ${(bytes / 1_000).toFixed(1)} KB of script`)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'loads under 300 KB of script for the overview with its charts',
    async () => {
      const visitor = await visit(stage.browser, stage.url)
      const { page } = visitor
      await stage.know(visitor, stage.cookiesOf('owner'))
      await stage.go(page, '/overview')
      await page.locator('figure.chart svg').first().waitFor()
      const bytes = await scriptBytes(page)
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThan(BUDGET_BYTES)
      console.log(`overview: ${(bytes / 1_000).toFixed(1)} KB of script`)
      await leave(visitor)
    },
    TEST_MS,
  )
}
