import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../console-api/support/account-stage.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, press, see } from '../support/visible.ts'

/** Lists that are too long to load, and pages that have lost the gateway. */
export function describeLists(stage: Stage): void {
  test(
    'finds and orders keys beyond the first page, and chooses one of them as a filter',
    async () => {
      const house = await addHousehold(stage.gateway, 'Crowd')
      const id = await askModel(stage.gateway, house)
      for (let number = 1; number <= 55; number++) {
        // Figures would be found in the ids of other keys as well.
        const name = number === 54 ? 'Robot heliotrope' : `Robot ${number}`
        await stage.gateway.operator('POST', `/accounts/${house.accountId}/keys`, { name })
      }
      const visitor = await stage.enterHome(house, '/keys')
      const { page } = visitor
      const names = page.getByRole('region', { name: 'API keys' }).getByRole('link', { name: /Robot/ })
      await names.first().waitFor()
      await press(page, 'Name')
      await press(page, 'Name')
      await names.filter({ hasText: 'Robot heliotrope' }).waitFor()
      expect(await names.first().innerText()).toContain('Robot heliotrope')
      await page.getByRole('searchbox', { name: 'Search keys' }).fill('robot helio')
      await page.waitForURL(/q=robot/)
      await names.filter({ hasText: 'Robot 55' }).waitFor({ state: 'detached' })
      expect(await names.count()).toBe(1)

      await page.getByRole('link', { name: 'Requests', exact: true }).click()
      const row = page.locator(`[data-request="${id}"]`)
      await row.waitFor()
      await page.getByRole('combobox', { name: 'Key' }).fill('helio')
      await page.getByRole('option', { name: /Robot heliotrope/ }).click()
      await row.waitFor({ state: 'detached' })
      await see(page, 'No matching requests')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'says within five seconds that the gateway is lost, keeps the page, and catches up',
    async () => {
      const house = await addHousehold(stage.gateway, 'Adrift')
      const visitor = await stage.enterHome(house, '/keys?account=acc_of_somebody_else')
      const { page } = visitor
      await see(page, 'This link is for another account')
      await page.getByRole('link', { name: /Adrift key/ }).waitFor()
      for (const path of ['**/events', '**/healthz', '**/api/accounts/*/keys?*']) {
        await page.route(path, (route) => route.abort())
      }
      await page.reload()
      await see(page, 'No connection to the gateway')
      await stage.gateway.operator('POST', `/accounts/${house.accountId}/keys`, { name: 'Made meanwhile' })
      await page.unrouteAll()
      await page.getByText('No connection to the gateway').waitFor({ state: 'detached' })
      await page.getByRole('link', { name: /Made meanwhile/ }).waitFor()
      await visitor.end()
    },
    TEST_MS,
  )

  test(
    'loads a part of a page again that was lost once, without loading the console anew',
    async () => {
      const house = await addHousehold(stage.gateway, 'Noisy')
      const visitor = await stage.enterHome(house, '/keys')
      const { page } = visitor
      await page.getByRole('link', { name: /Noisy key/ }).waitFor()
      await page.evaluate('window.isStillHere = true')
      await page.route('**/assets/*.js', (route) => route.abort(), { times: 1 })
      await stage.walk(page, '/billing')
      await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
      expect(await page.evaluate('window.isStillHere')).toBe(true)
      expect(visitor.problems).toEqual([expect.stringContaining('net::ERR_FAILED')])
      await visitor.end()
    },
    TEST_MS,
  )
}
