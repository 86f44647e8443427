import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addHousehold, type Household } from '../../console-api/support/account-stage.ts'
import { eventually } from '../../support/eventually.ts'
import { findAccessibilityIssues } from '../support/browser.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { choose, field, leave, press, readCode, see } from '../support/visible.ts'

/** The keys of an account. */
export function describeKeys(stage: Stage): void {
  const ask = (secret: string) =>
    fetch(`${stage.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })

  async function modelsOf(secret: string): Promise<string[]> {
    const { data } = (await (await ask(secret)).json()) as { data: { id: string }[] }
    return data.map(({ id }) => id).toSorted()
  }

  const statusBecomes = (secret: string, status: number) =>
    eventually(`${status} for the key`, async () => (await ask(secret)).status === status)

  async function readSecret(page: Page): Promise<string> {
    const dialog = page.getByRole('dialog', { name: 'The secret of CI' })
    const secret = await readCode(dialog)
    await dialog.getByRole('tab', { name: 'curl' }).waitFor()
    return secret
  }

  async function closeSecret(page: Page): Promise<void> {
    const dialog = page.getByRole('dialog', { name: 'The secret of CI' })
    await press(dialog, 'I saved it')
    await dialog.waitFor({ state: 'hidden' })
  }

  /** Creates a key with every setting. */
  async function create(page: Page): Promise<string> {
    await press(page, 'Create key')
    const drawer = page.getByRole('dialog', { name: 'Create an API key' })
    await field(drawer, 'Name').fill('CI')
    await drawer.getByLabel('Stop at an amount').press('Space')
    await drawer.getByLabel('At most, in USDT').fill('5')
    await drawer.getByLabel('Period', { exact: true }).selectOption('weekly')
    await drawer.getByLabel('Warn about monthly spending').press('Space')
    await drawer.getByLabel('Budget a month, in USDT').fill('100')
    await drawer.getByRole('radio', { name: 'Only some' }).press('Space')
    await drawer.getByLabel('Allowed models').fill('sandbox-ch*')
    await page.keyboard.press('Enter')
    await see(drawer, /^Allows 1 of/)
    await drawer.getByRole('radio', { name: 'One supplier' }).press('Space')
    await drawer.getByLabel('Supplier', { exact: true }).selectOption('sandbox-openai')
    await drawer.getByLabel('Requests (RPM)').fill('30')
    await drawer.getByLabel('Tokens (TPM)').fill('1000')
    await press(drawer, 'in 30 days')
    expect(await findAccessibilityIssues(page)).toEqual([])
    await press(drawer, 'Create key')
    const secret = await readSecret(page)
    await page.getByRole('tab', { name: 'Codex' }).click()
    await page.getByText(`base_url = "${stage.url}/v1"`).waitFor()
    expect(await findAccessibilityIssues(page)).toEqual([])
    await closeSecret(page)
    return secret
  }

  /** Checks the key on its page and in the API; neither may reveal the secret. */
  async function expectAsMade(page: Page, house: Household, secret: string): Promise<void> {
    const made = await house.owner.call(`GET /accounts/${house.accountId}/keys`)
    expect(made.body.data.find(({ name }: { name: string }) => name === 'CI')).toMatchObject({
      usage_limit: { amount: '5', period: 'weekly' },
      budget: { amount: '100' },
      model_allowlist: ['sandbox-ch*'],
      rpm: 30,
      tpm: 1000,
    })
    expect(await modelsOf(secret)).toEqual(['sandbox-chat'])
    await page.getByRole('link', { name: /^CI/ }).click()
    await page.waitForURL(/\/keys\/key_/)
    for (const fact of ['only sandbox-openai', '30 requests, 1K tokens a minute', 'sandbox-ch*']) {
      await see(page, fact)
    }
    expect((await page.content()).includes(secret)).toBe(false)
    await stage.go(page, '/keys')
    await page.getByRole('link', { name: /^CI/ }).waitFor()
    expect((await page.content()).includes(secret)).toBe(false)
  }

  /** A refused change shows an error at its field; an accepted one applies immediately. */
  async function widen(page: Page, secret: string): Promise<void> {
    await choose(page, 'Actions for CI', 'Edit')
    const edit = page.getByRole('dialog', { name: 'Edit CI' })
    await edit.getByLabel('Allowed models').fill('sandbox-image*')
    await page.keyboard.press('Enter')
    await edit.getByLabel('Requests (RPM)').fill('1000000')
    await press(edit, 'Save')
    await edit.locator('.mantine-NumberInput-error').waitFor()
    expect(await modelsOf(secret)).toEqual(['sandbox-chat'])
    await edit.getByLabel('Requests (RPM)').fill('')
    await press(edit, 'Save')
    await see(page, 'CI was changed.')
    expect(await modelsOf(secret)).toEqual(['sandbox-chat', 'sandbox-image', 'sandbox-image-base64'])
  }

  async function revoke(page: Page): Promise<void> {
    await choose(page, 'Actions for CI', 'Revoke')
    const question = page.getByRole('dialog', { name: 'Revoke CI?' })
    expect(await question.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
    await question.getByRole('textbox').fill('CI')
    await press(question, 'Revoke')
    await see(page, 'CI is revoked.')
    await page.getByRole('link', { name: /^CI/ }).waitFor({ state: 'hidden' })
  }

  test(
    'creates a key with all settings, shows it once, then changes, rotates, disables and revokes it',
    async () => {
      const house = await addHousehold(stage.gateway, 'Keysmith')
      const visitor = await stage.enterHome(house, '/keys')
      const { page } = visitor
      const secret = await create(page)
      expect(secret).toStartWith('sk-')
      await expectAsMade(page, house, secret)
      await widen(page, secret)

      await choose(page, 'Actions for CI', 'Rotate secret')
      await page.getByLabel('The old secret').selectOption('0')
      await press(page.getByRole('dialog', { name: 'Rotate CI?' }), 'Rotate')
      const next = await readSecret(page)
      await closeSecret(page)
      expect([(await ask(secret)).status, (await ask(next)).status]).toEqual([401, 200])

      const row = page.getByRole('row', { name: /CI/ })
      await choose(page, 'Actions for CI', 'Disable')
      await see(row, 'disabled')
      await statusBecomes(next, 401)
      await choose(page, 'Actions for CI', 'Enable')
      await see(row, 'active')
      await statusBecomes(next, 200)

      await revoke(page)
      expect((await ask(next)).status).toBe(401)
      await stage.go(page, '/keys?state=revoked')
      await row.waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'reverts a refused change and shows the reason',
    async () => {
      const house = await addHousehold(stage.gateway, 'Stubborn')
      const visitor = await stage.enterHome(house, '/keys')
      const { page } = visitor
      const row = page.getByRole('row').filter({ hasText: 'Stubborn key' })
      const gate = Promise.withResolvers<void>()
      await page.route('**/keys/key_*', async (route) => {
        if (route.request().method() !== 'PATCH') return route.continue()
        await gate.promise
        const error = { message: 'Not in this hour.', type: 'x', code: 'permission_denied', param: null }
        return route.fulfill({ status: 400, json: { error } })
      })
      await choose(page, 'Actions for Stubborn key', 'Disable')
      await row.getByText('disabled', { exact: true }).last().waitFor()
      gate.resolve()
      await page.getByText('Not in this hour.').waitFor()
      await row.getByText('active', { exact: true }).last().waitFor()
      await visitor.end()
    },
    TEST_MS,
  )

  test(
    'shows an error at its field and keeps the input',
    async () => {
      const visitor = await stage.enter('owner', '/keys?create=yes')
      const drawer = visitor.page.getByRole('dialog', { name: 'Create an API key' })
      await drawer.getByLabel('Stop at an amount').press('Space')
      await drawer.getByLabel('At most, in USDT').fill('a lot')
      await press(drawer, 'Create key')
      await drawer.locator('[aria-invalid="true"]').first().waitFor()
      expect(await drawer.getByLabel('At most, in USDT').inputValue()).toBe('a lot')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'shows a key and its usage on one page',
    async () => {
      const { keyId } = stage.home
      const visitor = await stage.enter('owner', `/keys/${keyId}`)
      await visitor.page.getByRole('heading', { level: 1, name: /Acme key/ }).waitFor()
      await visitor.page.getByRole('region', { name: 'Latest requests' }).getByRole('link').first().waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'shows how to call the only kind of model that a key may use',
    async () => {
      const house = await addHousehold(stage.gateway, 'Embedders')
      const visitor = await stage.enterHome(house, '/keys?create=yes')
      const { page } = visitor
      const drawer = page.getByRole('dialog', { name: 'Create an API key' })
      await field(drawer, 'Name').fill('Index')
      await drawer.getByRole('radio', { name: 'Only some' }).press('Space')
      await drawer.getByLabel('Allowed models').fill('sandbox-embedding')
      await page.keyboard.press('Enter')
      await see(drawer, /^Allows 1 of/)
      await press(drawer, 'Create key')
      const dialog = page.getByRole('dialog', { name: 'The secret of Index' })
      await see(dialog, new RegExp(`curl ${stage.url}/v1/embeddings`))
      await dialog.getByRole('tab', { name: 'OpenAI SDK' }).click()
      await see(dialog, /client\.embeddings\.create/)
      await press(dialog, 'I saved it')
      await leave(visitor)
    },
    TEST_MS,
  )
}
