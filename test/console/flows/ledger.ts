import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { addHousehold, askModel, type Household } from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, press, see } from '../support/visible.ts'

export function describeLedger(stage: Stage): void {
  async function openShop(name: string): Promise<Household> {
    const house = await addHousehold(stage.gateway, name)
    const payment = { amount: '25.5', reference: 'invoice-7', note: 'by wire' }
    await stage.gateway.operator('POST', `/accounts/${house.accountId}/payments`, payment)
    await askModel(stage.gateway, house)
    await settlementsOf(stage.gateway, house.keyId, 1)
    return house
  }

  test(
    'shows the ledger and exports it exactly',
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
      await page.getByLabel('Data', { exact: true }).selectOption('ledger')
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
}
