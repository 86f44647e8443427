import { expect, test } from 'bun:test'
import { findAccessibilityIssues } from '../support/browser.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, press } from '../support/visible.ts'

export function describeModels(stage: Stage): void {
  test(
    'searches and filters models, explains limits, and keeps the view in the address',
    async () => {
      const visitor = await stage.enter('owner', '/models')
      const { page } = visitor
      const rows = page.getByRole('region', { name: 'Models' }).getByRole('row')
      await page.getByLabel('Kind', { exact: true }).selectOption('image')
      await page.getByText('sandbox-chat').first().waitFor({ state: 'hidden' })
      expect(await rows.count()).toBe(1 + 2)
      await page.getByLabel('Search models').fill('base64')
      await page.waitForURL(/kind=image&.*q=base64|q=base64.*kind=image/)
      expect(await rows.count()).toBe(1 + 1)
      await page.reload()
      await rows.last().getByRole('button', { name: '120' }).focus()
      await page.getByRole('tooltip').getByText('A higher tier raises it').waitFor()
      await rows.last().getByRole('button').first().click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('Search models').fill('no such model')
      await press(page, 'Clear filters')
      await page.getByText('sandbox-chat').first().waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'opens a model by link, with ready-to-paste code',
    async () => {
      const visitor = await stage.enter('owner', '/models?model=sandbox-reasoner')
      const { page } = visitor
      const drawer = page.getByRole('dialog', { name: 'sandbox-reasoner' })
      await drawer.getByRole('tab', { name: 'Anthropic SDK' }).click()
      await drawer.getByText(`base_url="${stage.url}"`).waitFor()
      expect(await findAccessibilityIssues(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.waitForURL((url) => !url.searchParams.has('model'))
      await leave(visitor)
    },
    TEST_MS,
  )
}
