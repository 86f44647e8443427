import { expect, test } from 'bun:test'
import { findAccessibilityIssues } from '../../support/browser.ts'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Explore: what is chosen is in the address, and can be saved and exported. */
export function describeExploreByKeyboard(stage: Stage): void {
  test(
    'chooses what to show, saves the view, opens it again and exports it',
    async () => {
      const visitor = await stage.enter('owner', '/explore')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.choose(/^Metric/, /^Requests$/)
      await keyboard.choose(/^Group by/, /^Model$/)
      await page.getByRole('button', { name: 'sandbox-chat' }).waitFor()
      expect(new URL(page.url()).search).toContain('metric=requests&by=model')
      await page.getByRole('figure', { name: 'Requests per day' }).waitFor()
      expect(await findAccessibilityIssues(page)).toEqual([])

      await page.getByRole('button', { name: 'Views' }).focus()
      await keyboard.key('Enter')
      await page.getByLabel('Save this view as').fill('Requests by model')
      await keyboard.key('Enter')
      await see(page, 'View saved')
      await keyboard.key('Escape')

      await page.goto(`${new URL(page.url()).origin}/console/explore`)
      await page.getByRole('button', { name: 'Views' }).focus()
      await keyboard.key('Enter')
      await page.getByRole('button', { name: 'Requests by model', exact: true }).focus()
      await keyboard.key('Enter')
      await page.getByRole('button', { name: 'sandbox-chat' }).waitFor()

      // A name narrows the view to its group.
      await page.getByRole('button', { name: 'sandbox-chat' }).focus()
      await keyboard.key('Enter')
      await page.waitForURL(/model=sandbox-chat/)
      await keyboard.suggest(/^Supplier/, 'sandbox-openai')
      await page.waitForURL(/supplier=sandbox-openai/)
      await page.getByRole('button', { name: 'Export' }).focus()
      const downloaded = page.waitForEvent('download')
      await keyboard.key('Enter')
      await page.getByRole('menuitem', { name: 'CSV' }).focus()
      await keyboard.key('Enter')
      expect((await downloaded).suggestedFilename()).toMatch(/^explore-requests-.*\.csv$/)
      await leave(visitor)
    },
    TEST_MS,
  )
}
