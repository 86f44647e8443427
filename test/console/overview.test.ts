import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { CHROMIUM, findBarriers, type Login, openBrowser, signIn, visit } from './support/browser.ts'

const TEST_MS = 120_000
const PHONE = { viewport: { width: 390, height: 844 } }

describe.skipIf(CHROMIUM === null)('overview and models, in Chromium', () => {
  let gateway: TestGateway
  let browser: Browser
  let admin: Login
  beforeAll(async () => {
    gateway = await startTestGateway()
    browser = await openBrowser()
    if (gateway.newUser === null) throw new Error('the first start made no user')
    admin = gateway.newUser
  }, TEST_MS)
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const open = (page: Page, path: string) => page.goto(`${gateway.url}/console${path}`)

  async function ask(model: string): Promise<void> {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    await response.text()
    expect(response.status).toBe(200)
  }

  async function isTooWide(page: Page): Promise<boolean> {
    return (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) as boolean
  }

  test(
    'an account without traffic is led to its first request, and sees it as soon as it has ended',
    async () => {
      const { page, complaints } = await visit(browser, gateway.url)
      await signIn(page, gateway.url, admin)
      await page.getByRole('heading', { name: 'First steps' }).waitFor()
      await page.getByText(`curl ${gateway.url}/v1/chat/completions`).waitFor()
      await page.getByText('Create an API key (done)').waitFor()
      expect(await findBarriers(page)).toEqual([])
      await ask('sandbox-chat')
      await page.getByRole('cell', { name: 'sandbox-chat' }).waitFor()
      expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TEST_MS,
  )

  test(
    'usage is told by model, key and supplier, and every view has a link',
    async () => {
      await ask('sandbox-tools')
      const { page, complaints } = await visit(browser, gateway.url, PHONE)
      await signIn(page, gateway.url, admin)
      await page.getByRole('cell', { name: 'sandbox-tools' }).waitFor()
      await page.getByLabel('Told apart by').selectOption('supplier')
      await page.getByRole('cell', { name: 'sandbox-openai' }).waitFor()
      await page.getByLabel('Time range').selectOption('24h')
      await page.waitForURL(/by=supplier.*span=24h|span=24h.*by=supplier/)
      expect(await isTooWide(page)).toBe(false)
      await open(page, '/overview?by=key&metric=requests')
      await page.getByRole('link', { name: 'First key' }).click()
      await page.waitForURL(/\/keys\/key_/)
      await page.getByRole('cell', { name: 'sandbox-tools' }).waitFor()
      await page.getByRole('link', { name: 'All requests of this key' }).waitFor()
      expect(await isTooWide(page)).toBe(false)
      expect(await findBarriers(page)).toEqual([])
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TEST_MS,
  )

  test(
    'models are searched and narrowed, say what limits them, and open by link with a call to paste',
    async () => {
      const { page, complaints } = await visit(browser, gateway.url)
      await signIn(page, gateway.url, admin)
      await open(page, '/models')
      await page.getByRole('button', { name: /sandbox-chat/ }).waitFor()
      await page.getByLabel('Kind', { exact: true }).selectOption('image')
      await page.getByRole('button', { name: /sandbox-chat/ }).waitFor({ state: 'detached' })
      await page.getByLabel('Search models').fill('base64')
      await page.waitForURL(/kind=image&.*q=base64|q=base64.*kind=image/)
      const row = page.getByRole('row').filter({ hasText: 'sandbox-image-base64' })
      await row.getByRole('button', { name: '120' }).focus()
      await page.getByRole('tooltip').getByText('your tier sets it').waitFor()
      await page.getByLabel('Search models').fill('no such model')
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await page.getByRole('button', { name: /sandbox-chat/ }).waitFor()
      expect(await findBarriers(page)).toEqual([])

      await open(page, '/models?model=sandbox-reasoner')
      const drawer = page.getByRole('dialog', { name: 'sandbox-reasoner' })
      await drawer.getByRole('tab', { name: 'Anthropic SDK' }).click()
      await drawer.getByText(`base_url="${gateway.url}"`).waitFor()
      expect(await findBarriers(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.waitForURL((url) => !url.searchParams.has('model'))
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TEST_MS,
  )
})
