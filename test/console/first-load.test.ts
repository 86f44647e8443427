import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { CHROMIUM, type Login, openBrowser, signIn, visit } from './support/browser.ts'

const BUDGET_BYTES = 300_000
const TEST_MS = 120_000

describe.skipIf(CHROMIUM === null)('what a browser loads that has nothing yet', () => {
  let gateway: TestGateway
  let browser: Browser
  let admin: Login
  beforeAll(async () => {
    gateway = await startTestGateway()
    browser = await openBrowser()
    if (gateway.newUser === null) throw new Error('the first start made no user')
    admin = gateway.newUser
    // An overview without traffic has no charts, which are the heaviest part of it.
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] }),
    })
  }, TEST_MS)
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  /** Bytes of script as they travelled. */
  const scriptBytes = async (page: Page) =>
    Number(
      await page.evaluate(
        "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)",
      ),
    )

  test(
    'the sign-in page is under 300 KB of script',
    async () => {
      const { page } = await visit(browser, gateway.url)
      await page.goto(`${gateway.url}/console/sign-in`)
      await page.getByLabel('E-mail').waitFor()
      const bytes = await scriptBytes(page)
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThan(BUDGET_BYTES)
      console.log(`sign-in: ${(bytes / 1_000).toFixed(1)} KB of script`)
      await page.context().close()
    },
    TEST_MS,
  )

  test(
    'the overview with its charts is under 300 KB of script',
    async () => {
      const { page, complaints } = await visit(browser, gateway.url)
      await signIn(page, gateway.url, admin)
      await page.goto(`${gateway.url}/console/overview`)
      await page.locator('figure.chart svg').first().waitFor()
      const bytes = await scriptBytes(page)
      expect(bytes).toBeLessThan(BUDGET_BYTES)
      expect(complaints).toEqual([])
      console.log(`overview: ${(bytes / 1_000).toFixed(1)} KB of script`)
      await page.context().close()
    },
    TEST_MS,
  )
})
