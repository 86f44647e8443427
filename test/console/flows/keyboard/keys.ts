import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addHousehold } from '../../../console-api/support/account-stage.ts'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, readCode, see } from '../../support/visible.ts'

/** The life cycle of a key. */
export function describeKeysByKeyboard(stage: Stage): void {
  async function keepSecret(page: Page, keyboard: KeyboardUser): Promise<void> {
    const issued = page.getByRole('dialog', { name: 'The secret of by hand' })
    expect(await readCode(issued)).toStartWith('sk-')
    await keyboard.tabTo(/^curl$/)
    await keyboard.arrowTo(/^Claude Code$/, 'ArrowRight')
    await see(issued, /ANTHROPIC_BASE_URL/)
    await keyboard.press(/^I saved it$/)
    await issued.waitFor({ state: 'hidden' })
  }

  async function create(page: Page, keyboard: KeyboardUser): Promise<void> {
    await keyboard.press(/^Create key$/)
    await page.getByRole('dialog', { name: 'Create an API key' }).waitFor()
    await keyboard.expectAt(/^Name/)
    await keyboard.type(/^Name/, 'by hand')
    await keyboard.press(/^Stop at an amount/, 'Space')
    await keyboard.type(/^At most, in USDT/, '5')
    await keyboard.choose(/^Period/, /^a week$/)
    await keyboard.tabTo(/^All models/)
    await keyboard.arrowTo(/^Only some/, 'ArrowDown')
    await keyboard.tabTo(/^Allowed models/)
    await keyboard.strike('sandbox-chat')
    await keyboard.key('Enter')
    await keyboard.type(/^Requests \(RPM\)/, '30')
    await keyboard.press(/^in 30 days$/)
    await keyboard.press(/^Create key$/)
    await keepSecret(page, keyboard)
    await keyboard.expectAt(/^Create key$/)
  }

  test(
    'creates, changes, rotates, disables and revokes a key',
    async () => {
      const house = await addHousehold(stage.gateway, 'Typist')
      const visitor = await stage.enterHome(house, '/keys')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      const actions = /^Actions for by hand$/
      await create(page, keyboard)
      const made = await house.owner.call(`GET /accounts/${house.accountId}/keys`)
      expect(made.body.data.find(({ name }: { name: string }) => name === 'by hand')).toMatchObject({
        usage_limit: { amount: '5', period: 'weekly' },
        model_allowlist: ['sandbox-chat'],
        rpm: 30,
      })

      await keyboard.pick(actions, /^Edit$/)
      await page.getByRole('dialog', { name: 'Edit by hand' }).waitFor()
      await keyboard.type(/^Requests \(RPM\)/, '60')
      await keyboard.key('Enter')
      await see(page, /^by hand was changed/)
      await keyboard.expectAt(actions)

      await keyboard.pick(actions, /^Rotate secret$/)
      await page.getByRole('dialog', { name: 'Rotate by hand?' }).waitFor()
      await keyboard.choose(/^The old secret/, /immediately/)
      await keyboard.press(/^Rotate$/)
      await keepSecret(page, keyboard)
      await keyboard.expectAt(actions)

      const row = page.getByRole('row', { name: /by hand/ })
      await keyboard.pick(actions, /^Disable$/)
      await see(row, 'disabled')
      await keyboard.expectAt(actions)
      await keyboard.pick(actions, /^Enable$/)
      await see(row, 'active')

      await keyboard.pick(actions, /^Revoke$/)
      const question = page.getByRole('dialog', { name: 'Revoke by hand?' })
      await question.waitFor()
      await keyboard.key('Escape')
      await question.waitFor({ state: 'hidden' })
      await keyboard.expectAt(actions)
      await keyboard.pick(actions, /^Revoke$/)
      await question.waitFor()
      await keyboard.type(/^Type by hand/, 'by hand')
      await keyboard.key('Enter')
      await see(page, 'by hand is revoked.')

      await keyboard.press(/^Typist key/)
      await page.getByRole('heading', { level: 1, name: /Typist key/ }).waitFor()
      await keyboard.press(/^Edit$/)
      await page.getByRole('dialog', { name: 'Edit Typist key' }).waitFor()
      await keyboard.key('Escape')
      await keyboard.expectAt(/^Edit$/)
      await leave(visitor)
    },
    TEST_MS,
  )
}
