import { expect, test } from 'bun:test'
import { startReceiver } from '../../../alerts/receiver.ts'
import { addHousehold } from '../../../console-api/support/account-stage.ts'
import { addPerson } from '../../../console-api/support/people.ts'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Billing, alerts, own credentials and members of an account. */
export function describeBillingByKeyboard(stage: Stage): void {
  test(
    'reads payments, exports, and stores bodies',
    async () => {
      const house = await addHousehold(stage.gateway, 'Ledgerer')
      const payment = { amount: '3', reference: 'hand-1' }
      await stage.gateway.operator('POST', `/accounts/${house.accountId}/payments`, payment)
      const visitor = await stage.enterHome(house, '/billing')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.turnTo(/^Ledger$/, /^Payments$/)
      await see(page.getByRole('region', { name: 'Payments' }), 'hand-1')
      await keyboard.arrowTo(/^Exports$/, 'ArrowRight')
      await keyboard.choose(/^Data$/, /^Ledger/)
      await keyboard.tabTo(/^CSV$/)
      await keyboard.arrowTo(/^JSON Lines$/, 'ArrowRight')
      await keyboard.tabTo(/^Export$/)
      const [download] = await Promise.all([page.waitForEvent('download'), keyboard.key('Enter')])
      expect(download.suggestedFilename()).toBe('ledger.jsonl')
      await see(page, 'Exported')

      await keyboard.tabTo(/^Exports$/, 'Shift+Tab')
      await keyboard.arrowTo(/^Alerts$/, 'ArrowRight')
      await see(page, 'No alerts yet')
      await keyboard.arrowTo(/^Stored bodies$/, 'ArrowRight')
      await keyboard.press(/^Keep requests and responses/, 'Space')
      await keyboard.press(/^Save$/)
      await see(page, /^Bodies are kept for/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'sets up, tests and deletes a webhook',
    async () => {
      const receiver = startReceiver()
      try {
        const house = await addHousehold(stage.gateway, 'Listener')
        const visitor = await stage.enterHome(house, '/billing?tab=webhook')
        const { page } = visitor
        const keyboard = await KeyboardUser.inContent(page)
        await keyboard.type(/^Address/, receiver.url)
        await keyboard.press(/^Set up$/)
        await see(page, 'Copy it now')
        await keyboard.press(/^Send a test event$/)
        await see(page, 'Your server accepted the event.')
        await keyboard.expectAt(/^Send a test event$/)
        await keyboard.tabTo(/^Delete$/, 'Shift+Tab')
        await keyboard.key('Enter')
        const question = page.getByRole('dialog', { name: 'Delete the webhook?' })
        await question.waitFor()
        await keyboard.press(/^Delete$/)
        await see(page, 'The webhook is deleted.')
        await keyboard.type(/^Address/, 'https://example.com/hook')
        await leave(visitor)
      } finally {
        await receiver.stop()
      }
    },
    TEST_MS,
  )

  test(
    'adds and deletes own credentials and members',
    async () => {
      const house = await addHousehold(stage.gateway, 'Carrier')
      await addPerson(stage.gateway, 'helper@carrier.example')
      const visitor = await stage.enterHome(house, '/billing/credentials')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^Add a supplier$/)
      await page.getByRole('dialog', { name: 'Add a supplier' }).waitFor()
      await keyboard.choose(/^Vendor/, /Anthropic/)
      await keyboard.type(/^Secret/, 'sk-ant-of-my-own-1234')
      await keyboard.press(/^Add$/)
      await page.getByRole('heading', { name: 'carrier-anthropic' }).waitFor()
      const add = /^Add a credential to carrier-anthropic$/
      await keyboard.press(add)
      await page.getByRole('dialog', { name: add }).waitFor()
      await keyboard.type(/^Secret/, 'sk-ant-of-my-own-5678')
      await keyboard.type(/^Label/, 'spare')
      await keyboard.key('Enter')
      await see(page, 'spare')
      await keyboard.expectAt(add)
      await keyboard.press(/^Delete carrier-anthropic$/)
      await page.getByRole('dialog', { name: 'Delete carrier-anthropic?' }).waitFor()
      await keyboard.type(/^Type carrier-anthropic/, 'carrier-anthropic')
      await keyboard.key('Enter')
      await see(page, 'No credentials of your own')

      await stage.walk(page, '/settings?tab=members')
      await keyboard.press(/^Add member$/)
      await page.getByRole('dialog', { name: 'Add a member' }).waitFor()
      await keyboard.type(/^E-mail/, 'helper@carrier.example')
      await keyboard.key('Enter')
      await page.getByRole('button', { name: 'Remove helper@carrier.example' }).waitFor()
      await keyboard.expectAt(/^Add member$/)
      await keyboard.press(/^Remove helper/)
      await page.getByRole('dialog').waitFor()
      await keyboard.press(/^Remove$/)
      await see(page, 'The member was removed.')
      await leave(visitor)
    },
    TEST_MS,
  )
}
