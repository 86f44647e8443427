import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addHousehold } from '../../../console-api/support/account-stage.ts'
import { Hands } from '../../support/hands.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, readCode, see } from '../../support/visible.ts'

/** A key from its making to its end. */
export function describeKeysByKeyboard(stage: Stage): void {
  async function keepSecret(page: Page, hands: Hands): Promise<void> {
    const issued = page.getByRole('dialog', { name: 'The secret of by hand' })
    expect(await readCode(issued)).toStartWith('sk-')
    await hands.tabTo(/^curl$/)
    await hands.arrowTo(/^Claude Code$/, 'ArrowRight')
    await see(issued, /ANTHROPIC_BASE_URL/)
    await hands.press(/^I saved it$/)
    await issued.waitFor({ state: 'hidden' })
  }

  async function create(page: Page, hands: Hands): Promise<void> {
    await hands.press(/^Create key$/)
    await page.getByRole('dialog', { name: 'Create an API key' }).waitFor()
    await hands.expectAt(/^Name/)
    await hands.type(/^Name/, 'by hand')
    await hands.press(/^Stop at an amount/, 'Space')
    await hands.type(/^At most, in USDT/, '5')
    await hands.choose(/^Period/, /^a week$/)
    await hands.tabTo(/^All models/)
    await hands.arrowTo(/^Only some/, 'ArrowDown')
    await hands.tabTo(/^Allowed models/)
    await hands.strike('sandbox-chat')
    await hands.key('Enter')
    await hands.type(/^Requests \(RPM\)/, '30')
    await hands.press(/^in 30 days$/)
    await hands.press(/^Create key$/)
    await keepSecret(page, hands)
    await hands.expectAt(/^Create key$/)
  }

  test(
    'a key is made, changed, rotated, paused and revoked',
    async () => {
      const house = await addHousehold(stage.gateway, 'Typist')
      const visitor = await stage.enterHome(house, '/keys')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      const actions = /^Actions for by hand$/
      await create(page, hands)
      const made = await house.owner.call(`GET /accounts/${house.accountId}/keys`)
      expect(made.body.data.find(({ name }: { name: string }) => name === 'by hand')).toMatchObject({
        usage_limit: { amount: '5', period: 'weekly' },
        model_allowlist: ['sandbox-chat'],
        rpm: 30,
      })

      await hands.pick(actions, /^Edit$/)
      await page.getByRole('dialog', { name: 'Edit by hand' }).waitFor()
      await hands.type(/^Requests \(RPM\)/, '60')
      await hands.key('Enter')
      await see(page, /^by hand was changed/)
      await hands.expectAt(actions)

      await hands.pick(actions, /^Rotate secret$/)
      await page.getByRole('dialog', { name: 'Rotate by hand?' }).waitFor()
      await hands.choose(/^The old secret/, /immediately/)
      await hands.press(/^Rotate$/)
      await keepSecret(page, hands)
      await hands.expectAt(actions)

      const row = page.getByRole('row', { name: /by hand/ })
      await hands.pick(actions, /^Disable$/)
      await see(row, 'disabled')
      await hands.expectAt(actions)
      await hands.pick(actions, /^Enable$/)
      await see(row, 'active')

      await hands.pick(actions, /^Revoke$/)
      const question = page.getByRole('dialog', { name: 'Revoke by hand?' })
      await question.waitFor()
      await hands.key('Escape')
      await question.waitFor({ state: 'hidden' })
      await hands.expectAt(actions)
      await hands.pick(actions, /^Revoke$/)
      await question.waitFor()
      await hands.type(/^Type by hand/, 'by hand')
      await hands.key('Enter')
      await see(page, 'by hand is revoked.')

      await hands.press(/^Typist key/)
      await page.getByRole('heading', { level: 1, name: /Typist key/ }).waitFor()
      await hands.press(/^Edit$/)
      await page.getByRole('dialog', { name: 'Edit Typist key' }).waitFor()
      await hands.key('Escape')
      await hands.expectAt(/^Edit$/)
      await leave(visitor)
    },
    TEST_MS,
  )
}
