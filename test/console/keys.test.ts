import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { CHROMIUM, findBarriers, type Login, openBrowser, signIn, visit } from './support/browser.ts'

const TEST_MS = 120_000

describe.skipIf(CHROMIUM === null)('API keys, in Chromium', () => {
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

  async function listModels(secret: string): Promise<{ status: number; ids: string[] }> {
    const response = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    const { data = [] } = (await response.json()) as { data?: { id: string }[] }
    return { status: response.status, ids: data.map(({ id }) => id) }
  }

  async function createKey(page: Page, name: string): Promise<string> {
    await open(page, '/keys?create=yes')
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create key' }).last().click()
    return readSecret(page)
  }

  async function readSecret(page: Page): Promise<string> {
    const secret = await page.getByRole('region', { name: 'API key', exact: true }).innerText()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    return secret.trim()
  }

  async function act(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  test(
    'a key is made by keyboard alone, with every control, and its secret comes ready to paste',
    async () => {
      const { page, complaints } = await visit(browser, gateway.url)
      await signIn(page, gateway.url, admin)
      await open(page, '/keys')
      await page.getByRole('button', { name: 'Create key' }).first().press('Enter')
      await page.keyboard.type('nightly build')
      await page.getByRole('switch', { name: 'Stop at an amount' }).press('Space')
      await page.getByLabel('At most, in USDT').press('5')
      await page.getByLabel('Period', { exact: true }).selectOption('daily')
      await page.getByRole('switch', { name: 'Warn about monthly' }).press('Space')
      await page.getByLabel('Budget a month').press('9')
      await page.getByRole('radio', { name: 'Only some' }).press('Space')
      await page.getByRole('combobox', { name: 'Allowed models' }).fill('sandbox-c*')
      await page.keyboard.press('Enter')
      await page.getByText('Allows 1 of').waitFor()
      await page.getByRole('radio', { name: 'One supplier' }).press('Space')
      await page.getByLabel('Supplier', { exact: true }).selectOption('sandbox-openai')
      await page.getByLabel('Requests (RPM)').fill('60')
      await page.getByLabel('Tokens (TPM)').fill('1000')
      await page.getByRole('button', { name: 'in 30 days' }).press('Enter')
      expect(await findBarriers(page)).toEqual([])
      await page.getByLabel('Name').press('Enter')

      await page.getByRole('tab', { name: 'Codex' }).click()
      await page.getByText(`base_url = "${gateway.url}/v1"`).waitFor()
      expect(await findBarriers(page)).toEqual([])
      const secret = await readSecret(page)
      expect(await listModels(secret)).toEqual({
        status: 200,
        ids: ['sandbox-chat'],
      })

      await page.getByRole('link', { name: /nightly build/ }).click()
      await page.waitForURL(/\/keys\/key_/)
      for (const fact of ['only sandbox-openai', '60 requests, 1K tokens a minute', 'sandbox-c*']) {
        await page.getByText(fact).first().waitFor()
      }
      expect(await page.getByText(secret).count()).toBe(0)
      expect(await findBarriers(page)).toEqual([])
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TEST_MS,
  )

  test(
    'a changed allowlist is in force at once, and a refused change says so at its field',
    async () => {
      const { page, complaints } = await visit(browser, gateway.url)
      await signIn(page, gateway.url, admin)
      const secret = await createKey(page, 'narrowed')
      expect((await listModels(secret)).ids.length).toBeGreaterThan(1)
      await act(page, 'narrowed', 'Edit')
      await page.getByRole('radio', { name: 'Only some' }).check()
      await page.getByRole('combobox', { name: 'Allowed models' }).fill('sandbox-chat')
      await page.keyboard.press('Enter')
      await page.getByLabel('Requests (RPM)').fill('1000000')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('.mantine-NumberInput-error').waitFor()
      await page.getByLabel('Requests (RPM)').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('narrowed was changed').waitFor()
      expect(await listModels(secret)).toEqual({ status: 200, ids: ['sandbox-chat'] })
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TEST_MS,
  )

  test(
    'rotating, disabling, enabling and revoking do what they say',
    async () => {
      const { page, complaints } = await visit(browser, gateway.url)
      await signIn(page, gateway.url, admin)
      const first = await createKey(page, 'worker')
      await act(page, 'worker', 'Rotate secret')
      await page.getByLabel('The old secret').selectOption('0')
      await page.getByRole('button', { name: 'Rotate', exact: true }).click()
      const second = await readSecret(page)
      expect((await listModels(first)).status).toBe(401)
      expect((await listModels(second)).status).toBe(200)

      const row = page.getByRole('row').filter({ hasText: 'worker' })
      await act(page, 'worker', 'Disable')
      await row.getByText('disabled', { exact: true }).last().waitFor()
      await expectStatus(second, 401)
      await act(page, 'worker', 'Enable')
      await row.getByText('active', { exact: true }).last().waitFor()
      await expectStatus(second, 200)

      await act(page, 'worker', 'Revoke')
      const revoke = page.getByRole('button', { name: 'Revoke', exact: true })
      expect(await revoke.isDisabled()).toBe(true)
      await page.getByLabel(/Type worker/).fill('worker')
      await revoke.click()
      await page.getByText('worker is revoked').waitFor()
      expect((await listModels(second)).status).toBe(401)
      expect(await row.count()).toBe(0)
      await open(page, '/keys?state=revoked')
      await row.waitFor()
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TEST_MS,
  )

  /** The page shows the new state before the gateway has confirmed it. */
  async function expectStatus(secret: string, status: number): Promise<void> {
    const until = performance.now() + 10_000
    while ((await listModels(secret)).status !== status) {
      if (performance.now() > until) throw new Error(`The key never answered with ${status}.`)
      await Bun.sleep(20)
    }
  }

  test(
    'a change that is refused is taken back, with the reason',
    async () => {
      const { page } = await visit(browser, gateway.url)
      await signIn(page, gateway.url, admin)
      await createKey(page, 'stubborn')
      const row = page.getByRole('row').filter({ hasText: 'stubborn' })
      const gate = Promise.withResolvers<void>()
      await page.route('**/keys/key_*', async (route) => {
        if (route.request().method() !== 'PATCH') return route.continue()
        await gate.promise
        const error = { message: 'Not in this hour.', type: 'x', code: 'permission_denied', param: null }
        return route.fulfill({ status: 400, json: { error } })
      })
      await act(page, 'stubborn', 'Disable')
      await row.getByText('disabled', { exact: true }).last().waitFor()
      gate.resolve()
      await page.getByText('Not in this hour.').waitFor()
      await row.getByText('active', { exact: true }).last().waitFor()
      await page.context().close()
    },
    TEST_MS,
  )
})
