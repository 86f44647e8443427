import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { field, leave, press, see } from '../support/visible.ts'

interface AccountBody {
  readonly id: string
  readonly balance: string
  readonly tier: string
}

/** Operator pages that query the database: accounts, money, requests and the audit log. */
export function describeOperator(stage: Stage): void {
  const accountOf = (id: string) => stage.gateway.operator<AccountBody>('GET', `/accounts/${id}`)

  test(
    'creates an account, records money, and assigns and ends a tier',
    async () => {
      const visitor = await stage.enter('operator', '/operator/accounts')
      const { page } = visitor
      await press(page, 'Create account')
      const drawer = page.getByRole('dialog', { name: 'Create an account' })
      await field(drawer, 'Name').fill('Globex')
      await field(drawer, 'E-mail').fill('buyer@globex.example')
      await press(drawer, 'Create account')
      await page.getByRole('heading', { level: 1, name: /Globex/ }).waitFor()
      const id = /accounts\/(acc_[^?]+)/.exec(page.url())?.[1] ?? ''

      await page.getByRole('tab', { name: 'Money' }).click()
      await press(page, 'Record payment')
      const payment = page.getByRole('dialog', { name: 'Record a payment' })
      await field(payment, 'Amount, USDT').fill('100.25')
      await field(payment, 'Reference').fill('wire-1')
      await press(payment, 'Review')
      await see(payment, '100.25')
      await press(payment, 'Record payment')
      await see(page.getByRole('region', { name: 'Payments' }), 'wire-1')
      await press(page, 'Adjust')
      const adjustment = page.getByRole('dialog', { name: 'Adjust the balance' })
      await field(adjustment, 'Amount, USDT').fill('-0.25')
      await field(adjustment, 'Reason').fill('goodwill the other way')
      await press(adjustment, 'Review')
      await press(adjustment, 'Adjust')
      await see(page.getByRole('region', { name: 'Ledger' }), 'goodwill the other way')
      expect(await accountOf(id)).toMatchObject({ balance: '100' })

      await page.getByRole('tab', { name: 'Overview' }).click()
      await press(page, 'Assign a tier')
      const tier = page.getByRole('dialog', { name: 'Assign a tier to Globex' })
      await tier.getByLabel('Tier').selectOption('Scale')
      await tier.getByLabel('Ends').fill('2099-01-01T00:00')
      await field(tier, 'Reason').fill('a pilot')
      await press(tier, 'Assign')
      await tier.waitFor({ state: 'hidden' })
      await see(page, 'a pilot')
      expect(await accountOf(id)).toMatchObject({ tier: 'Scale' })
      await press(page, 'End')
      await press(page.getByRole('dialog', { name: 'End the assignment?' }), 'End assignment')
      await page.getByRole('button', { name: 'Assign a tier' }).waitFor()
      expect((await accountOf(id)).tier).not.toBe('Scale')

      await stage.walk(page, '/operator/accounts')
      await page.getByLabel('Search accounts').fill('globex')
      await page.getByText('Acme', { exact: true }).first().waitFor({ state: 'hidden' })
      await page.getByRole('link', { name: /Globex/ }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'records an adjustment once, even if sent twice or retried after a lost response',
    async () => {
      const { id } = await stage.gateway.operator<AccountBody>('POST', '/accounts', { name: 'Lossy' })
      const visitor = await stage.enter('operator', `/operator/accounts/${id}?do=adjustment`)
      const { page } = visitor
      let calls = 0
      await page.route('**/adjustments', async (route) => {
        calls += 1
        if (calls > 2) return route.continue()
        await route.fetch()
        await route.abort()
      })
      const dialog = page.getByRole('dialog', { name: 'Adjust the balance' })
      await field(dialog, 'Amount, USDT').fill('1.5')
      await field(dialog, 'Reason').fill('goodwill')
      await press(dialog, 'Review')
      await dialog.locator('form').evaluate((form: { requestSubmit(): void }) => {
        form.requestSubmit()
        form.requestSubmit()
      })
      await see(dialog, /could not be reached/)
      await press(dialog, 'Review')
      await press(dialog, 'Adjust')
      await dialog.waitFor({ state: 'hidden' })
      expect(calls).toBe(3)
      expect(await accountOf(id)).toMatchObject({ balance: '1.5' })

      await page.getByRole('tab', { name: 'Money' }).click()
      await press(page, 'Adjust')
      await field(dialog, 'Amount, USDT').fill('1.5')
      await field(dialog, 'Reason').fill('goodwill')
      await press(dialog, 'Review')
      await press(dialog, 'Adjust')
      await dialog.waitFor({ state: 'hidden' })
      expect(await accountOf(id)).toMatchObject({ balance: '3' })
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'filters all requests by account and opens the account as its customer',
    async () => {
      const house = await addHousehold(stage.gateway, 'Narrow')
      const id = await askModel(stage.gateway, house)
      await settlementsOf(stage.gateway, house.keyId, 1)
      const visitor = await stage.enter('operator', `/operator/settlements?customer=${house.accountId}`)
      const { page } = visitor
      const rows = page.getByRole('region', { name: 'Requests' }).getByRole('link')
      await rows.first().waitFor()
      expect(await rows.count()).toBe(1)
      await rows.first().click()
      await page.waitForURL(new RegExp(id))
      // Names of accounts, which the page learns only when the list has arrived.
      await stage.walk(page, '/operator/settlements')
      await rows.filter({ hasText: 'Narrow' }).first().waitFor()
      await stage.walk(page, `/operator/accounts/${house.accountId}`)
      await page.getByRole('link', { name: 'View as customer' }).click()
      await page.getByRole('button', { name: 'Account: Narrow. Switch account' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'shows cost and margin by model, supplier and account',
    async () => {
      const house = await addHousehold(stage.gateway, 'Merchant')
      const at = '/models/merchant%2Fchat'
      await stage.gateway.operator('PUT', at, { owned_by: 'Merchant' })
      await stage.gateway.operator('PUT', `${at}/routes/sandbox-openai`, {
        upstream_model: 'sandbox-chat',
        price: { input: '0', output: '0', request: '0.5' },
        cost: { input: '0', output: '0', request: '0.2' },
      })
      await askModel(stage.gateway, house, { model: 'merchant/chat' })
      await settlementsOf(stage.gateway, house.keyId, 1)
      const visitor = await stage.enter('operator', '/operator/usage')
      const { page } = visitor
      const table = page.getByRole('region', { name: 'Cost and margin' })
      await table.getByRole('row', { name: 'merchant/chat 1 0.50 0.20 0.30 60%' }).waitFor()
      await page.getByLabel('Group by').selectOption('account_id')
      await table.getByRole('row', { name: 'Merchant 1 0.50 0.20 0.30 60%' }).waitFor()
      await page.getByLabel('Group by').selectOption('supplier')
      await table.getByRole('link', { name: 'sandbox-openai' }).waitFor()
      await page.waitForURL(/by=supplier/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'shows the audit log and the system page',
    async () => {
      await stage.gateway.operator('POST', '/accounts', { name: 'Audited account' })
      const visitor = await stage.enter('operator', '/operator/audit')
      const { page } = visitor
      await page.getByRole('region', { name: 'Audit log' }).getByRole('button').first().click()
      const drawer = page.getByRole('dialog')
      await see(drawer, 'Operator token')
      await see(drawer, /Audited account/)
      await page.keyboard.press('Escape')
      await stage.walk(page, '/operator/system')
      await see(page, 'All records stored')
      await see(page, new RegExp(stage.engine.name, 'i'))
      expect((await page.content()).includes('server-secret-for-tests')).toBe(false)
      await leave(visitor)
    },
    TEST_MS,
  )
}
