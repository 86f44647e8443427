import { expect, test } from 'bun:test'
import { startReceiver } from '../../../alerts/receiver.ts'
import { addHousehold } from '../../../console-api/support/account-stage.ts'
import { addPerson } from '../../../console-api/support/people.ts'
import { Hands } from '../../support/hands.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Money, alerts, own credentials and members, as the owner of an account deals with them. */
export function describeBillingByKeyboard(stage: Stage): void {
  test(
    'payments are read, an export is made, bodies are kept',
    async () => {
      const house = await addHousehold(stage.gateway, 'Ledgerer')
      const payment = { amount: '3', reference: 'hand-1' }
      await stage.gateway.operator('POST', `/accounts/${house.accountId}/payments`, payment)
      const visitor = await stage.enterHome(house, '/billing')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await hands.turnTo(/^Ledger$/, /^Payments$/)
      await see(page.getByRole('region', { name: 'Payments' }), 'hand-1')
      await hands.arrowTo(/^Exports$/, 'ArrowRight')
      await hands.choose(/^Data$/, /^Ledger/)
      await hands.tabTo(/^CSV$/)
      await hands.arrowTo(/^JSON Lines$/, 'ArrowRight')
      await hands.tabTo(/^Export$/)
      const [download] = await Promise.all([page.waitForEvent('download'), hands.key('Enter')])
      expect(download.suggestedFilename()).toBe('ledger.jsonl')
      await see(page, 'Exported')

      await hands.tabTo(/^Exports$/, 'Shift+Tab')
      await hands.arrowTo(/^Alerts$/, 'ArrowRight')
      await see(page, 'No alerts yet')
      await hands.arrowTo(/^Stored bodies$/, 'ArrowRight')
      await hands.press(/^Keep requests and responses/, 'Space')
      await hands.press(/^Save$/)
      await see(page, /^Bodies are kept for/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'a webhook is set up, tried and deleted',
    async () => {
      const receiver = startReceiver()
      try {
        const house = await addHousehold(stage.gateway, 'Listener')
        const visitor = await stage.enterHome(house, '/billing?tab=webhook')
        const { page } = visitor
        const hands = await Hands.inContent(page)
        await hands.type(/^Address/, receiver.url)
        await hands.press(/^Set up$/)
        await see(page, 'Copy it now')
        await hands.press(/^Send a test event$/)
        await see(page, 'Your server accepted the event.')
        await hands.expectAt(/^Send a test event$/)
        await hands.tabTo(/^Delete$/, 'Shift+Tab')
        await hands.key('Enter')
        const question = page.getByRole('dialog', { name: 'Delete the webhook?' })
        await question.waitFor()
        await hands.press(/^Delete$/)
        await see(page, 'The webhook is deleted.')
        await hands.type(/^Address/, 'https://example.com/hook')
        await leave(visitor)
      } finally {
        await receiver.stop()
      }
    },
    TEST_MS,
  )

  test(
    'own credentials are brought and taken away, members added and removed',
    async () => {
      const house = await addHousehold(stage.gateway, 'Carrier')
      await addPerson(stage.gateway, 'helper@carrier.example')
      const visitor = await stage.enterHome(house, '/billing/credentials')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await hands.press(/^Add a supplier$/)
      await page.getByRole('dialog', { name: 'Add a supplier' }).waitFor()
      await hands.choose(/^Vendor/, /Anthropic/)
      await hands.type(/^Secret/, 'sk-ant-of-my-own-1234')
      await hands.press(/^Add$/)
      await page.getByRole('heading', { name: 'carrier-anthropic' }).waitFor()
      const add = /^Add a credential to carrier-anthropic$/
      await hands.press(add)
      await page.getByRole('dialog', { name: add }).waitFor()
      await hands.type(/^Secret/, 'sk-ant-of-my-own-5678')
      await hands.type(/^Label/, 'spare')
      await hands.key('Enter')
      await see(page, 'spare')
      await hands.expectAt(add)
      await hands.press(/^Delete carrier-anthropic$/)
      await page.getByRole('dialog', { name: 'Delete carrier-anthropic?' }).waitFor()
      await hands.type(/^Type carrier-anthropic/, 'carrier-anthropic')
      await hands.key('Enter')
      await see(page, 'No credentials of your own')

      await stage.walk(page, '/settings?tab=members')
      await hands.press(/^Add member$/)
      await page.getByRole('dialog', { name: 'Add a member' }).waitFor()
      await hands.type(/^E-mail/, 'helper@carrier.example')
      await hands.key('Enter')
      await page.getByRole('button', { name: 'Remove helper@carrier.example' }).waitFor()
      await hands.expectAt(/^Add member$/)
      await hands.press(/^Remove helper/)
      await page.getByRole('dialog').waitFor()
      await hands.press(/^Remove$/)
      await see(page, 'The member was removed.')
      await leave(visitor)
    },
    TEST_MS,
  )
}
