import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { isSignedWith, startReceiver } from '../../alerts/receiver.ts'
import { addHousehold, askModel, type Household } from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { field, leave, press, readCode, see } from '../support/visible.ts'

export function describeBilling(stage: Stage): void {
  async function openShop(name: string): Promise<Household> {
    const house = await addHousehold(stage.gateway, name)
    const payment = { amount: '25.5', reference: 'invoice-7', note: 'by wire' }
    await stage.gateway.operator('POST', `/accounts/${house.accountId}/payments`, payment)
    await askModel(stage.gateway, house)
    await settlementsOf(stage.gateway, house.keyId, 1)
    return house
  }

  test(
    'the ledger shows what moved the balance, and is exported to the last digit',
    async () => {
      const house = await openShop('Shop')
      const visitor = await stage.enterHome(house, '/billing')
      const { page } = visitor
      const ledger = page.getByRole('region', { name: 'Ledger' })
      await see(ledger, 'invoice-7 · by wire')
      await see(ledger, 'Request')
      await page.getByRole('tab', { name: 'Payments' }).click()
      await see(page.getByRole('region', { name: 'Payments' }), 'invoice-7')

      await page.getByRole('tab', { name: 'Exports' }).click()
      await page.getByLabel('What', { exact: true }).selectOption('ledger')
      const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export')])
      await see(page, 'Exported')
      expect(download.suggestedFilename()).toBe('ledger.csv')
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n')
      expect(lines).toHaveLength(3)
      expect(lines.join('\n')).toContain('invoice-7')
      expect(lines.join('\n')).toContain('25.5')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'a webhook is set up, tried, and deleted',
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
        await see(page, 'Your receiver took the event.')
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
    'own credentials are brought, added to, and taken away',
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
    'a member sees neither the webhook nor the own credentials',
    async () => {
      const visitor = await stage.enter('member', '/billing')
      const { page } = visitor
      await page.getByRole('tab', { name: 'Alerts' }).waitFor()
      expect(await page.getByRole('tab', { name: 'Webhook' }).count()).toBe(0)
      await stage.go(page, '/billing/credentials')
      await see(page, 'For owners of the account')
      await leave(visitor)
    },
    TEST_MS,
  )
}
