import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { PASSWORD } from '../console-api/support/people.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { CHROMIUM, findAccessibilityIssues, openBrowser, PHONE, visit } from './support/browser.ts'

const TEST_MS = 300_000

/** A user who counts what they do. */
class CountingUser {
  fields = 0
  clicks = 0

  async fill(field: Locator, text: string): Promise<void> {
    this.fields += 1
    await field.fill(text)
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }
}

describe.skipIf(CHROMIUM === null)('the first hour of a customer', () => {
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    gateway = await startTestGateway({
      environment: { TURNPIKE_SIGN_UP: 'on', TURNPIKE_WELCOME_CREDIT: '1' },
    })
    browser = await openBrowser()
  }, TEST_MS)
  afterAll(async () => {
    await browser.close()
    await gateway.stop()
  })

  test(
    'takes three fields and three clicks to the first answer, then a colleague joins by link and a receipt is printed',
    async () => {
      const { page, problems } = await visit(browser, gateway.url)
      await reachFirstAnswer(page)
      const account = new URL(page.url()).searchParams.get('account') ?? ''
      const link = await inviteViewer(page)
      await joinAsViewer(link)
      const { id } = await gateway.operator<{ id: string }>('POST', `/accounts/${account}/payments`, {
        amount: '25',
        reference: 'inv-1',
        note: 'card',
      })
      await page.goto(`${gateway.url}/console/billing/receipts/${id}?account=${account}`)
      await page.getByText('inv-1').waitFor()
      expect(await findAccessibilityIssues(page)).toEqual([])
      await page.emulateMedia({ media: 'print' })
      expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
      expect(await page.locator('.shell-header').isVisible()).toBe(false)
      expect(await page.getByText('inv-1').isVisible()).toBe(true)
      expect(problems).toEqual([])
    },
    TEST_MS,
  )

  async function reachFirstAnswer(page: Page): Promise<void> {
    const user = new CountingUser()
    await page.goto(`${gateway.url}/console/sign-up`)
    await user.fill(page.getByLabel('Name'), 'Ada')
    await user.fill(page.getByLabel('E-mail'), 'ada@example.com')
    await user.fill(page.getByLabel('Password', { exact: true }), PASSWORD)
    await user.click(page.getByRole('button', { name: 'Create account' }))
    await user.click(page.locator('main').getByRole('link', { name: 'Playground' }))
    await user.click(page.getByRole('button', { name: /haiku/ }))
    await page.getByText(/USDT/).first().waitFor()
    console.log(`sign-up to first answer: ${user.fields} fields, ${user.clicks} clicks`)
    expect(user.fields).toBeLessThanOrEqual(3)
    expect(user.clicks).toBeLessThanOrEqual(3)
  }

  async function inviteViewer(page: Page): Promise<string> {
    await page.goto(`${gateway.url}/console/settings?tab=members`)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByLabel('Role').selectOption('viewer')
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = page.getByText('/console/join#')
    await link.waitFor()
    expect(await findAccessibilityIssues(page)).toEqual([])
    return (await link.innerText()).trim()
  }

  /** On a phone, as somebody who was never here. */
  async function joinAsViewer(link: string): Promise<void> {
    const { page, problems } = await visit(browser, gateway.url, { viewport: PHONE })
    await page.goto(link)
    await page.getByLabel('Name').fill('Vi')
    await page.getByLabel('E-mail').fill('vi@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    expect(await findAccessibilityIssues(page)).toEqual([])
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await page.waitForURL(/\/console\/overview\?account=/)
    await page.goto(`${gateway.url}/console/keys`)
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    await page.goto(`${gateway.url}/console/playground`)
    await page.getByText('For owners and developers of the account').waitFor()
    expect(problems).toEqual([])
  }
})
