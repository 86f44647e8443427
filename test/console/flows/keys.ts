import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addHousehold } from '../../console-api/support/account-stage.ts'
import { eventually } from '../../support/eventually.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { choose, field, leave, press, readCode, see } from '../support/visible.ts'

/** Keys, as their owner makes, changes and ends them. */
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
    await press(dialog, 'I have kept it')
    await dialog.waitFor({ state: 'hidden' })
    return secret
  }

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
    await drawer.getByLabel('Allowed models').fill('sandbox-chat')
    await page.keyboard.press('Enter')
    await drawer.getByLabel('Requests (RPM)').fill('30')
    await press(drawer, 'in 30 days')
    await press(drawer, 'Create key')
    return readSecret(page)
  }

  test(
    'a key is made with its controls, shown once, used, changed, rotated, paused and revoked',
    async () => {
      const house = await addHousehold(stage.gateway, 'Keysmith')
      const visitor = await stage.enterHome(house, '/keys')
      const { page } = visitor
      const secret = await create(page)
      expect(secret).toStartWith('sk-')
      await page.reload()
      await page.getByRole('link', { name: /^CI/ }).waitFor()
      expect((await page.content()).includes(secret)).toBe(false)
      const made = await house.owner.call(`GET /accounts/${house.accountId}/keys`)
      expect(made.body.data.find(({ name }: { name: string }) => name === 'CI')).toMatchObject({
        usage_limit: { amount: '5', period: 'weekly' },
        budget: { amount: '100' },
        model_allowlist: ['sandbox-chat'],
        rpm: 30,
      })
      expect(await modelsOf(secret)).toEqual(['sandbox-chat'])

      await choose(page, 'Actions for CI', 'Edit')
      const edit = page.getByRole('dialog', { name: 'Edit CI' })
      await edit.getByLabel('Allowed models').fill('sandbox-image*')
      await page.keyboard.press('Enter')
      await press(edit, 'Save')
      await see(page, 'CI was changed.')
      expect(await modelsOf(secret)).toEqual(['sandbox-chat', 'sandbox-image', 'sandbox-image-base64'])

      await choose(page, 'Actions for CI', 'Rotate secret')
      await page.getByLabel('The old secret').selectOption('0')
      await press(page.getByRole('dialog', { name: 'Rotate CI?' }), 'Rotate')
      const next = await readSecret(page)
      expect([(await ask(secret)).status, (await ask(next)).status]).toEqual([401, 200])

      await choose(page, 'Actions for CI', 'Disable')
      await see(page.getByRole('row', { name: /CI/ }), 'disabled')
      await statusBecomes(next, 401)
      await choose(page, 'Actions for CI', 'Enable')
      await see(page.getByRole('row', { name: /CI/ }), 'active')
      await statusBecomes(next, 200)

      await choose(page, 'Actions for CI', 'Revoke')
      const question = page.getByRole('dialog', { name: 'Revoke CI?' })
      expect(await question.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
      await question.getByRole('textbox').fill('CI')
      await press(question, 'Revoke')
      await see(page, 'CI is revoked.')
      await page.getByRole('link', { name: /^CI/ }).waitFor({ state: 'hidden' })
      expect((await ask(next)).status).toBe(401)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'a refusal stands at its field, and what was typed stays',
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
    'a key has a page of its own, with what it used',
    async () => {
      const { keyId } = stage.home
      const visitor = await stage.enter('owner', `/keys/${keyId}`)
      await visitor.page.getByRole('heading', { level: 1, name: /Acme key/ }).waitFor()
      await visitor.page.getByRole('region', { name: 'Latest requests' }).getByRole('link').first().waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )
}
