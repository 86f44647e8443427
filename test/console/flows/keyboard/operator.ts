import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../../support/settlements.ts'
import { Hands } from '../../support/hands.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Customers, what they did, and who may look. */
export function describeOperatorByKeyboard(stage: Stage): void {
  test(
    'an account is made, paid for, adjusted, changed, given a tier, and seen as its customer sees it',
    async () => {
      const visitor = await stage.enter('operator', '/operator/accounts')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await hands.press(/^Create account$/)
      await page.getByRole('dialog', { name: 'Create an account' }).waitFor()
      await hands.type(/^Name/, 'Handmade')
      await hands.key('Enter')
      await page.getByRole('heading', { level: 1, name: /Handmade/ }).waitFor()

      await hands.press(/^Assign a tier$/)
      const tier = page.getByRole('dialog', { name: 'Assign a tier to Handmade' })
      await tier.waitFor()
      await hands.choose(/^Tier/, /^Scale$/)
      await hands.type(/^Requests a minute/, '777')
      await hands.tabTo(/^Ends/)
      await hands.strike('01012099')
      await hands.key('Tab')
      await hands.strike('1200A')
      await hands.type(/^Reason/, 'a pilot')
      await hands.press(/^Assign$/)
      await tier.waitFor({ state: 'hidden' })
      await see(page, 'a pilot')
      await see(page, '777')
      await hands.press(/^End$/)
      await page.getByRole('dialog', { name: 'End the assignment?' }).waitFor()
      await hands.press(/^End assignment$/)
      await page.getByRole('button', { name: 'Assign a tier' }).waitFor()

      await hands.press(/^Edit$/)
      await page.getByRole('dialog', { name: 'Edit the account' }).waitFor()
      await hands.type(/^Credit line, USDT/, '20')
      await hands.type(/^Alert below, USDT/, '5')
      await hands.key('Enter')
      await see(page, 'The account was changed.')
      await hands.expectAt(/^Edit$/)

      await hands.tabTo(/^Overview$/, 'Shift+Tab')
      await hands.arrowTo(/^Money$/, 'ArrowRight')
      for (const [button, dialog, amount] of [
        [/^Record payment$/, 'Record a payment', '12.5'],
        [/^Adjust$/, 'Adjust the balance', '-2.5'],
        [/^Refund$/, 'Record a refund', '1'],
      ] as const) {
        await hands.press(button)
        const form = page.getByRole('dialog', { name: dialog })
        await form.waitFor()
        await hands.type(/^Amount, USDT/, amount)
        if (dialog !== 'Adjust the balance') await hands.type(/^Reference/, `hand ${dialog}`)
        if (dialog !== 'Record a payment') await hands.type(/^Reason/, `by hand: ${dialog}`)
        await hands.press(/^(Record payment|Adjust|Record refund)$/)
        await form.waitFor({ state: 'hidden' })
        await hands.expectAt(button)
      }
      await see(page, '9.00 USDT')

      await hands.tabTo(/^View as customer$/, 'Shift+Tab')
      await hands.key('Enter')
      await page.getByRole('button', { name: 'Account: Handmade. Switch account' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'accounts are searched and payments imported; requests, audit and system are read',
    async () => {
      const house = await addHousehold(stage.gateway, 'Sought')
      const id = await askModel(stage.gateway, house)
      await settlementsOf(stage.gateway, house.keyId, 1)
      const visitor = await stage.enter('operator', '/operator/accounts')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await hands.press(/^Import payments$/)
      await page.getByRole('dialog', { name: 'Import payments' }).waitFor()
      await hands.type(
        /^Or paste CSV text/,
        `account_id,amount,reference,note\n${house.accountId},4,typed-in,by hand`,
      )
      await hands.press(/^Import 1 payment$/)
      await see(page, /^1 recorded/)
      await hands.key('Escape')
      await hands.expectAt(/^Import payments$/)
      await hands.type(/^Search accounts$/, 'sought')
      await page.getByText('Acme', { exact: true }).first().waitFor({ state: 'hidden' })
      await hands.press(/^Sought/)
      await page.getByRole('heading', { level: 1, name: /Sought/ }).waitFor()

      await hands.press(/^All requests$/)
      await page.getByRole('heading', { level: 1, name: 'All requests' }).waitFor()
      await hands.suggest(/^Account$/, 'Sought')
      await page.waitForURL(new RegExp(`customer=${house.accountId}`))
      await hands.press(/^Sought/)
      await page.waitForURL(new RegExp(id))
      await see(page, /Chosen because/)

      await hands.press(/^Audit log$/)
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
      await hands.choose(/^Type of object$/, /Payments/)
      await page.waitForURL(/kind=payment/)
      await hands.tabTo(/^Audit log$/)
      await hands.key('Tab')
      await hands.key('Enter')
      const change = page.getByRole('dialog')
      await see(change, /typed-in/)
      await hands.key('Escape')
      await change.waitFor({ state: 'hidden' })
      expect(await hands.focused()).not.toBe('')

      await hands.press(/^System$/)
      await see(page, 'All records stored')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'users are added, made operators and shut out',
    async () => {
      const visitor = await stage.enter('operator', '/operator/users')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      const actions = /^Actions for milton@initech.example$/
      await hands.press(/^Add user$/)
      await page.getByRole('dialog', { name: 'Add a user' }).waitFor()
      await hands.type(/^E-mail/, 'milton@initech.example')
      await hands.type(/^Name/, 'Milton')
      await hands.key('Enter')
      await page.getByRole('dialog', { name: 'The new password' }).waitFor()
      await hands.key('Tab')
      await hands.press(/^Close$/)
      await hands.expectAt(/^Add user$/)
      await hands.pick(actions, /^Make operator$/)
      await page.getByRole('dialog', { name: 'Make Milton an operator?' }).waitFor()
      await hands.press(/^Make operator$/)
      await see(page.getByRole('row', { name: /Milton/ }), 'Operator')
      await hands.expectAt(actions)
      await hands.pick(actions, /^Disable$/)
      await see(page.getByRole('row', { name: /Milton/ }), 'disabled')
      await leave(visitor)
    },
    TEST_MS,
  )
}
