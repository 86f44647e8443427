import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../../support/settlements.ts'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Accounts, requests and users. */
export function describeOperatorByKeyboard(stage: Stage): void {
  test(
    'creates an account, changes it, records money, assigns a tier, and views it as its customer',
    async () => {
      const visitor = await stage.enter('operator', '/operator/accounts')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^Create account$/)
      await page.getByRole('dialog', { name: 'Create an account' }).waitFor()
      await keyboard.type(/^Name/, 'Handmade')
      await keyboard.key('Enter')
      await page.getByRole('heading', { level: 1, name: /Handmade/ }).waitFor()

      await keyboard.press(/^Assign a tier$/)
      const tier = page.getByRole('dialog', { name: 'Assign a tier to Handmade' })
      await tier.waitFor()
      await keyboard.choose(/^Tier/, /^Scale$/)
      await keyboard.type(/^Requests a minute/, '777')
      await keyboard.tabTo(/^Ends/)
      await keyboard.strike('01012099')
      await keyboard.key('Tab')
      await keyboard.strike('1200A')
      await keyboard.type(/^Reason/, 'a pilot')
      await keyboard.press(/^Assign$/)
      await tier.waitFor({ state: 'hidden' })
      await see(page, 'a pilot')
      await see(page, '777')
      await keyboard.press(/^End$/)
      await page.getByRole('dialog', { name: 'End the assignment?' }).waitFor()
      await keyboard.press(/^End assignment$/)
      await page.getByRole('button', { name: 'Assign a tier' }).waitFor()

      await keyboard.press(/^Edit$/)
      await page.getByRole('dialog', { name: 'Edit the account' }).waitFor()
      await keyboard.type(/^Credit line, USDT/, '20')
      await keyboard.type(/^Low-balance alert, USDT/, '5')
      await keyboard.key('Enter')
      await see(page, 'The account was changed.')
      await keyboard.expectAt(/^Edit$/)

      await keyboard.tabTo(/^Overview$/, 'Shift+Tab')
      await keyboard.arrowTo(/^Money$/, 'ArrowRight')
      for (const [button, dialog, amount] of [
        [/^Record payment$/, 'Record a payment', '12.5'],
        [/^Adjust$/, 'Adjust the balance', '-2.5'],
        [/^Refund$/, 'Record a refund', '1'],
      ] as const) {
        await keyboard.press(button)
        const form = page.getByRole('dialog', { name: dialog })
        await form.waitFor()
        await keyboard.type(/^Amount, USDT/, amount)
        if (dialog !== 'Adjust the balance') await keyboard.type(/^Reference/, `hand ${dialog}`)
        if (dialog !== 'Record a payment') await keyboard.type(/^Reason/, `by hand: ${dialog}`)
        await keyboard.press(/^Review$/)
        await keyboard.press(/^(Record payment|Adjust|Record refund)$/)
        await form.waitFor({ state: 'hidden' })
        await keyboard.expectAt(button)
      }
      await see(page, '9.00 USDT')

      await keyboard.tabTo(/^View as customer$/, 'Shift+Tab')
      await keyboard.key('Enter')
      await page.getByRole('button', { name: 'Account: Handmade. Switch account' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'searches accounts, imports payments, and reads requests, audit log and system page',
    async () => {
      const house = await addHousehold(stage.gateway, 'Sought')
      const id = await askModel(stage.gateway, house)
      await settlementsOf(stage.gateway, house.keyId, 1)
      const visitor = await stage.enter('operator', '/operator/accounts')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^Import payments$/)
      await page.getByRole('dialog', { name: 'Import payments' }).waitFor()
      await keyboard.type(
        /^Or paste CSV text/,
        `account_id,amount,reference,note\n${house.accountId},4,typed-in,by hand`,
      )
      await keyboard.press(/^Import 1 payment$/)
      await see(page, /^1 recorded/)
      await keyboard.key('Escape')
      await keyboard.expectAt(/^Import payments$/)
      await keyboard.type(/^Search accounts$/, 'sought')
      await page.getByText('Acme', { exact: true }).first().waitFor({ state: 'hidden' })
      await keyboard.press(/^Sought/)
      await page.getByRole('heading', { level: 1, name: /Sought/ }).waitFor()

      await keyboard.press(/^All requests$/)
      await page.getByRole('heading', { level: 1, name: 'All requests' }).waitFor()
      await keyboard.suggest(/^Account$/, 'Sought')
      await page.waitForURL(new RegExp(`customer=${house.accountId}`))
      await keyboard.press(/^Sought/)
      await page.waitForURL(new RegExp(id))
      await see(page, /Chosen because/)

      await keyboard.press(/^Audit log$/)
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
      await keyboard.choose(/^What$/, /Payments/)
      await page.waitForURL(/kind=payment/)
      await keyboard.tabTo(/^Audit log$/)
      await keyboard.key('Tab')
      await keyboard.key('Enter')
      const change = page.getByRole('dialog')
      await see(change, /typed-in/)
      await keyboard.key('Escape')
      await change.waitFor({ state: 'hidden' })
      expect(await keyboard.focused()).not.toBe('')

      await keyboard.press(/^System$/)
      await see(page, 'All records stored')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'adds users, makes them operators and disables them',
    async () => {
      const visitor = await stage.enter('operator', '/operator/users')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      const actions = /^Actions for milton@initech.example$/
      await keyboard.press(/^Add user$/)
      await page.getByRole('dialog', { name: 'Add a user' }).waitFor()
      await keyboard.type(/^E-mail/, 'milton@initech.example')
      await keyboard.type(/^Name/, 'Milton')
      await keyboard.key('Enter')
      await page.getByRole('dialog', { name: 'The new password' }).waitFor()
      await keyboard.key('Tab')
      await keyboard.press(/^Close$/)
      await keyboard.expectAt(/^Add user$/)
      await keyboard.pick(actions, /^Make operator$/)
      await page.getByRole('dialog', { name: 'Make Milton an operator?' }).waitFor()
      await keyboard.press(/^Make operator$/)
      await see(page.getByRole('row', { name: /Milton/ }), 'Operator')
      await keyboard.expectAt(actions)
      await keyboard.pick(actions, /^Disable$/)
      await see(page.getByRole('row', { name: /Milton/ }), 'disabled')
      await leave(visitor)
    },
    TEST_MS,
  )
}
