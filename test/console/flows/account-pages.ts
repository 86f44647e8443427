import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, press, see } from '../support/visible.ts'

/** What a customer looks at: the overview, the models and the requests. */
export function describeAccountPages(stage: Stage): void {
  test(
    'an account that was never used is shown how to begin',
    async () => {
      const house = await addHousehold(stage.gateway, 'Fresh')
      const visitor = await stage.enterHome(house, '/overview')
      await visitor.page.getByRole('heading', { name: 'First steps' }).waitFor()
      await visitor.page.getByRole('link', { name: 'Playground' }).last().click()
      await visitor.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'the overview tells what was spent, on what, and what the next tier needs',
    async () => {
      await settlementsOf(stage.gateway, stage.home.keyId, 1)
      const visitor = await stage.enter('owner', '/overview')
      const { page } = visitor
      for (const label of ['Balance', 'Spent today', 'Spent this month', 'Error rate', 'First byte']) {
        await see(page, label)
      }
      await page.getByRole('region', { name: 'Usage by model' }).getByText('sandbox-chat').waitFor()
      await page.locator('figure.chart svg').first().waitFor()
      await page.getByLabel('Told apart by').selectOption('key')
      await page.getByRole('link', { name: 'Acme key' }).waitFor()
      await page.getByLabel('Told apart by').selectOption('supplier')
      await page.getByRole('region', { name: 'Usage by supplier' }).waitFor()
      expect(page.url()).toContain('by=supplier')
      await page.getByRole('heading', { name: /tier/i }).first().waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'models are searched, filtered and opened, and the address keeps the view',
    async () => {
      const visitor = await stage.enter('owner', '/models')
      const { page } = visitor
      const rows = page.getByRole('region', { name: 'Models' }).getByRole('row')
      await page.getByLabel('Kind').selectOption('image')
      await page.getByText('sandbox-chat').first().waitFor({ state: 'hidden' })
      expect(await rows.count()).toBe(1 + 2)
      await page.getByLabel('Search models').fill('base64')
      await page.waitForURL(/q=base64/)
      expect(await rows.count()).toBe(1 + 1)
      await page.reload()
      await rows.last().getByRole('button').first().click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('Search models').fill('no such model')
      await press(page, 'Clear the filters')
      await page.getByText('sandbox-chat').first().waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'requests appear by themselves, are filtered, and open to attempts and arithmetic',
    async () => {
      const visitor = await stage.enter('owner', '/requests')
      const { page } = visitor
      await page.getByRole('region', { name: 'Requests' }).getByRole('link').first().waitFor()
      const id = await askModel(stage.gateway, stage.home, { model: 'sandbox-reasoner' })
      const row = page.locator(`[data-request="${id}"]`)
      await row.waitFor()
      await page.getByLabel('Outcome').selectOption('interrupted')
      await see(page, 'No request fits')
      await page.getByRole('search').getByRole('button', { name: 'Clear' }).click()
      await page.getByLabel('Model').selectOption('sandbox-reasoner')
      await row.click()
      await page.getByRole('heading', { level: 1, name: /sandbox-reasoner/ }).waitFor()
      await see(page, /Chosen because/)
      const price = page.getByRole('region', { name: 'Price, line by line' })
      await price.getByRole('row', { name: /^Total/ }).waitFor()
      await see(page, 'What was said is not kept')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'bodies are kept once the account says so, and shown with the request',
    async () => {
      const house = await addHousehold(stage.gateway, 'Archive')
      const visitor = await stage.enterHome(house, '/billing?tab=bodies')
      const { page } = visitor
      await page.getByLabel('Keep requests and responses').press('Space')
      await press(page, 'Save')
      await see(page, /^Bodies are kept for/)
      const id = await askModel(stage.gateway, house, {
        messages: [{ role: 'user', content: 'remember the lighthouse' }],
      })
      await settlementsOf(stage.gateway, house.keyId, 1)
      await stage.go(page, `/requests/${id}`)
      await see(page, /remember the lighthouse/)
      await leave(visitor)
    },
    TEST_MS,
  )
}
