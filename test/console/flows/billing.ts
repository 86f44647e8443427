import { expect, test } from 'bun:test'
import { isSignedWith, startReceiver } from '../../alerts/receiver.ts'
import { addHousehold } from '../../console-api/support/account-stage.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { choose, field, leave, press, readCode, see } from '../support/visible.ts'

export function describeBilling(stage: Stage): void {
  test(
    'shows a payment method to customers until the operator deletes it',
    async () => {
      const visitor = await stage.enter('operator', '/operator/payment-methods')
      const { page } = visitor
      await press(page, 'Add payment method')
      const drawer = page.getByRole('dialog', { name: 'Add a payment method' })
      await field(drawer, 'ID').fill('bank-transfer')
      await field(drawer, 'Name').fill('Bank transfer')
      await field(drawer, 'Text').fill('To <b>DE00 1234</b>\nwith your account id')
      await field(drawer, 'Link').fill('http://pay.example.com')
      await press(drawer, 'Add payment method')
      await see(drawer, 'Enter an address that begins with https://')
      await field(drawer, 'Link').fill('https://pay.example.com')
      await press(drawer, 'Add payment method')
      await see(page, 'The payment method was added.')

      const house = await addHousehold(stage.gateway, 'Payer')
      const customer = await stage.enterHome(house, '/billing?tab=payments')
      await customer.page.getByRole('heading', { name: 'Ways to pay' }).waitFor()
      await see(customer.page, /To <b>DE00 1234<\/b>\s+with your account id/)
      const link = customer.page.getByRole('link', { name: 'https://pay.example.com' })
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
      await leave(customer)

      await choose(page, 'Actions for bank-transfer', 'Edit')
      const edit = page.getByRole('dialog', { name: 'Edit bank-transfer' })
      await edit.getByRole('switch', { name: 'Shown to customers' }).click()
      await press(edit, 'Save')
      await see(page, 'Hidden')
      await choose(page, 'Actions for bank-transfer', 'Delete')
      await press(page.getByRole('dialog', { name: 'Delete bank-transfer?' }), 'Delete')
      await see(page, 'No payment methods yet')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'sets up, tests and deletes a webhook',
    async () => {
      const receiver = startReceiver()
      try {
        const house = await addHousehold(stage.gateway, 'Alarmed')
        const visitor = await stage.enterHome(house, '/billing?tab=webhook')
        const { page } = visitor
        await field(page, 'Address').fill(receiver.url)
        await press(page, 'Set up')
        await see(page, 'Copy it now')
        const secret = await readCode(page)
        await press(page, 'Send a test event')
        await see(page, 'Your server accepted the event.')
        const [call] = receiver.calls
        expect(call?.body.kind).toBe('test')
        expect(call !== undefined && isSignedWith(call, secret)).toBe(true)
        receiver.answerWith(() => new Response('', { status: 500 }))
        await press(page, 'Send a test event')
        await see(page, 'Not delivered')
        await press(page, 'Delete')
        await press(page.getByRole('dialog'), 'Delete')
        await see(page, 'The webhook is deleted.')
        await leave(visitor)
      } finally {
        await receiver.stop()
      }
    },
    TEST_MS,
  )

  test(
    'adds and deletes own credentials',
    async () => {
      const house = await addHousehold(stage.gateway, 'Bringer')
      const visitor = await stage.enterHome(house, '/billing/credentials')
      const { page } = visitor
      await press(page, 'Add a supplier')
      const drawer = page.getByRole('dialog', { name: 'Add a supplier' })
      await drawer.getByLabel('Vendor').selectOption('anthropic')
      await drawer
        .getByLabel(/^Secret/)
        .first()
        .fill('sk-ant-of-my-own-1234')
      await press(drawer, 'Add')
      await page.getByRole('heading', { name: 'bringer-anthropic' }).waitFor()
      await see(page, /…1234/)
      await press(page, 'Add a credential to bringer-anthropic')
      const second = page.getByRole('dialog', { name: 'Add a credential to bringer-anthropic' })
      await second
        .getByLabel(/^Secret/)
        .first()
        .fill('sk-ant-of-my-own-5678')
      await field(second, 'Label').fill('spare')
      await press(second, 'Add')
      await see(page, 'spare')
      expect((await page.content()).includes('sk-ant-of-my-own')).toBe(false)
      await press(page, 'Delete bringer-anthropic')
      const question = page.getByRole('dialog', { name: 'Delete bringer-anthropic?' })
      await question.getByRole('textbox').fill('bringer-anthropic')
      await press(question, 'Delete')
      await see(page, 'No credentials of your own')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'hides the webhook and own credentials from members',
    async () => {
      const visitor = await stage.enter('member', '/billing')
      const { page } = visitor
      await page.getByRole('tab', { name: 'Alerts' }).waitFor()
      expect(await page.getByRole('tab', { name: 'Webhook' }).count()).toBe(0)
      await stage.walk(page, '/billing/credentials')
      await see(page, 'For owners of the account')
      await leave(visitor)
    },
    TEST_MS,
  )
}
