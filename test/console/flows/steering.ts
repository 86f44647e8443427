import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../console-api/support/account-stage.ts'
import { findAccessibilityIssues } from '../support/browser.ts'
import { KeyboardUser } from '../support/keyboard-user.ts'
import { settle } from '../support/pages.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { field, leave, press, see } from '../support/visible.ts'

/** A supplier that can only say which models it has. */
function serveModelList(count: number) {
  const data = Array.from({ length: count }, (_, index) => ({ id: `many-${index + 1}`, object: 'model' }))
  return Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ object: 'list', data }) })
}

/** The pages operators steer the gateway with: dashboard, import of models, states of accounts, palette. */
export function describeSteering(stage: Stage): void {
  test(
    'begins with the dashboard, and adds a supplier with its models in a few clicks',
    async () => {
      await askModel(stage.gateway, stage.home, { model: 'no-such-model' })
      const visitor = await stage.enter('operator', '/')
      const { page } = visitor
      await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
      // Other flows on the same gateway are refused too, for other reasons.
      await see(page, /most [a-z]+(_[a-z]+)*/)
      await page.getByRole('link', { name: 'Errors' }).click()
      await page.waitForURL(/operator\/settlements\?.*view=refused/)

      let clicks = 0
      const click = async (act: Promise<void>) => {
        clicks += 1
        await act
      }
      const supplier = serveModelList(20)
      await click(page.getByRole('link', { name: 'Suppliers', exact: true }).click())
      await click(press(page, 'Add supplier'))
      const form = page.getByRole('dialog', { name: 'Add a supplier' })
      await field(form, 'ID').fill('many')
      await form.getByLabel('Base URL').fill(`http://127.0.0.1:${supplier.port}/v1`)
      await click(press(form, 'Add supplier'))
      const credential = page.getByRole('dialog', { name: 'Add a credential to many' })
      await credential.getByLabel('Secret').fill('sk-sandbox-many')
      await click(press(credential, 'Add credential'))
      const drawer = page.getByRole('dialog', { name: 'Import models of many' })
      await click(drawer.getByLabel(/^Select all/).click())
      await drawer.getByLabel('Mark-up, percent').fill('20')
      expect(await findAccessibilityIssues(page)).toEqual([])
      await click(press(drawer, /^Preview/))
      await see(drawer, /without a price/)
      await click(press(drawer, /^Import/))
      await drawer.waitFor({ state: 'hidden' })
      console.log(`a supplier with 20 models took ${clicks} clicks`)
      expect(clicks).toBeLessThanOrEqual(8)
      const { data } = await stage.gateway.operator<{ data: { supplier: string }[] }>(
        'GET',
        '/routes?limit=200',
      )
      expect(data.filter((route) => route.supplier === 'many')).toHaveLength(20)
      await supplier.stop(true)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'finds an account by keyboard alone, sees it as its customer, goes back and suspends it',
    async () => {
      const house = await addHousehold(stage.gateway, 'Palettable')
      const id = await askModel(stage.gateway, house)
      const visitor = await stage.enter('operator', '/operator')
      const { page } = visitor
      await settle(page)
      expect(await findAccessibilityIssues(page)).toEqual([])
      const keyboard = await KeyboardUser.inContent(page)
      const find = async (words: string, wanted: RegExp) => {
        await keyboard.key('Control+k')
        // At once, as people type: what comes before the field is there must reach it too.
        await page.keyboard.type(words)
        const palette = page.getByRole('dialog', { name: /^Go to a page/ })
        await palette.waitFor()
        await page.locator('[data-selected]').filter({ hasText: wanted }).waitFor()
        expect(await findAccessibilityIssues(page)).toEqual([])
        await keyboard.key('Enter')
        // Or the next words go to the one that is closing.
        await palette.waitFor({ state: 'hidden' })
      }
      await find(id, new RegExp(id))
      await page.waitForURL(new RegExp(`settlements/${id}`))
      await find('palettab', /^Palettable/)
      await page.getByRole('heading', { level: 1, name: /Palettable/ }).waitFor()

      await keyboard.press(/^View as customer$/)
      const banner = page.getByRole('complementary', { name: 'Viewing as a customer' })
      await see(banner, 'Palettable')
      expect(await findAccessibilityIssues(page)).toEqual([])
      await keyboard.press(/^Back to the operator’s page$/)
      await banner.waitFor({ state: 'hidden' })

      await keyboard.press(/^Suspend$/)
      await page.getByRole('dialog', { name: 'Suspend the account' }).waitFor()
      await keyboard.type(/^Reason/, 'a test')
      await keyboard.press(/^Suspend$/)
      await see(page, 'This account is suspended')
      await stage.walk(page, '/operator/audit')
      await see(page, 'state: active → suspended')
      await page.getByRole('searchbox', { name: 'Who' }).fill('nobody-at-all')
      await see(page, 'No matching changes')
      expect(await findAccessibilityIssues(page)).toEqual([])
      await leave(visitor)
    },
    TEST_MS,
  )
}
