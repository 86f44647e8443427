import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { decodeBase32, stepAt, totpCode } from '../../../src/rules/access/totp.ts'
import { startTestGateway } from '../../support/test-gateway.ts'
import { signIn, visit } from '../support/browser.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, see } from '../support/visible.ts'

const PASSWORD = 'copper lantern riverbank'
const NEXT_PASSWORD = 'walnut orchard evening'

/** Signing in and out. */
export function describeEntry(stage: Stage): void {
  const open = (page: Page, path: string) => page.goto(`${stage.url}/console${path}`)

  /** Signs up a new user for this test. */
  async function signUp(page: Page, email: string): Promise<void> {
    await open(page, '/sign-up')
    await page.getByLabel('Name').fill('Eve Example')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL(/\/console\/overview\?account=/)
  }

  test(
    'asks to sign in, then opens the linked page',
    async () => {
      const visitor = await stage.visit()
      const { page } = visitor
      await open(page, '/settings?tab=security')
      await page.waitForURL(/sign-in\?return=/)
      await page.getByLabel('E-mail').fill(stage.admin.email)
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      await page.getByLabel('Password', { exact: true }).fill(stage.admin.password)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/settings\?tab=security&account=acc_/)
      await page.getByText('this session').waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'shows the operator pages to an operator, and ends the session on sign-out',
    async () => {
      const visitor = await stage.visit()
      const { page } = visitor
      await signIn(page, stage.url, stage.admin)
      await page.getByRole('link', { name: 'Audit log' }).waitFor()
      await page.getByRole('button', { name: /^User menu:/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await open(page, '/overview')
      await page.waitForURL(/sign-in/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'gives a new user an account without operator pages, and changes name and password',
    async () => {
      const visitor = await stage.visit()
      const { page } = visitor
      await signUp(page, 'eve@example.com')
      expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
      await open(page, '/operator/audit')
      await page.waitForURL(/\/overview/)

      await open(page, '/settings')
      await page.getByLabel('Name').fill('<img src=x onerror=alert(1)>')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your name was changed.').waitFor()

      await open(page, '/settings?tab=security')
      await page.getByLabel('Current password').fill(PASSWORD)
      await page.getByLabel('New password').fill(NEXT_PASSWORD)
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('Your password was changed.').waitFor()
      await page.getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.waitForURL(/sign-in/)
      await signIn(page, stage.url, { email: 'eve@example.com', password: NEXT_PASSWORD })
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'sets up a second factor, asks for it, and accepts a recovery code once',
    async () => {
      const visitor = await stage.visit()
      const { page } = visitor
      await signUp(page, 'two@example.com')
      await open(page, '/settings?tab=security')
      await page.getByRole('button', { name: 'Set up' }).click()
      const secret = await page.locator('.code-block-text').innerText()
      await page.getByLabel('Enter the code').fill(totpCode(decodeBase32(secret.trim()), stepAt(Date.now())))
      await page.getByRole('button', { name: 'Switch on' }).click()
      await page.getByText('Save your recovery codes').waitFor()
      const [recovery = ''] = (await page.locator('.code-block-text').innerText()).trim().split('\n')
      await page.getByRole('button', { name: 'I saved them' }).click()
      await page.getByRole('button', { name: 'Switch off' }).waitFor()

      await page.context().clearCookies()
      await open(page, '/sign-in')
      await page.getByLabel('E-mail').fill('two@example.com')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code').fill(recovery)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/overview/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'goes to sign-in when the session ended elsewhere',
    async () => {
      const visitor = await stage.visit()
      const { page } = visitor
      await signUp(page, 'gone@example.com')
      await open(page, '/settings?tab=security')
      await page.getByText('this session').waitFor()
      await page.context().clearCookies()
      await page.getByLabel('Current password').fill(PASSWORD)
      await page.getByLabel('New password').fill(NEXT_PASSWORD)
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.waitForURL(/sign-in\?return=/)
      await visitor.end()
    },
    TEST_MS,
  )

  test(
    'stays signed in when a call with an old cookie is refused',
    async () => {
      const visitor = await stage.enter('owner', '/models')
      const { page } = visitor
      const error = { message: 'Sign in first.', code: 'auth_required', param: null }
      await page.route('**/keys?*', (route) => route.fulfill({ status: 401, json: { error } }), { times: 1 })
      await page.getByRole('link', { name: 'API keys' }).first().click()
      await page.getByRole('link', { name: /^Acme key/ }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'says that sign-up is closed',
    async () => {
      const closed = await startTestGateway()
      try {
        const visitor = await visit(stage.browser, closed.url)
        const { page } = visitor
        await page.goto(`${closed.url}/console/sign-up`)
        await see(page, 'Sign-up is closed on this gateway.')
        expect(await page.getByRole('textbox').count()).toBe(0)
        await page.goto(`${closed.url}/console/sign-in`)
        await page.getByRole('button', { name: 'Sign in' }).waitFor()
        expect(await page.getByRole('link', { name: /create/i }).count()).toBe(0)
        await leave(visitor)
      } finally {
        await closed.stop()
      }
    },
    TEST_MS,
  )
}
