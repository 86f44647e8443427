import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../../support/settlements.ts'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** The pages of a customer. */
export function describeCustomerByKeyboard(stage: Stage): void {
  test(
    'uses the skip link, palette, pages, accounts and phone menu',
    async () => {
      const house = await addHousehold(stage.gateway, 'Stroller')
      const other = await addHousehold(stage.gateway, 'Elsewhere')
      await other.owner.call(`POST /accounts/${other.accountId}/members`, {
        body: { email: 'owner@stroller.example', role: 'developer' },
      })
      const visitor = await stage.enterHome(house, `/settings?account=${house.accountId}`)
      const { page } = visitor
      const keyboard = new KeyboardUser(page)
      await keyboard.key('Tab')
      await keyboard.expectAt(/^Skip to content$/)
      await keyboard.key('Enter')
      expect(await page.evaluate('document.activeElement.id')).toBe('main')
      await keyboard.key('Control+k')
      const palette = page.getByRole('dialog')
      await palette.getByLabel('Go to a page').waitFor()
      await keyboard.key('Escape')
      await palette.waitFor({ state: 'hidden' })
      await keyboard.key('Control+k')
      await palette.getByLabel('Go to a page').waitFor()
      await keyboard.type(/Go to a page/, 'requests')
      await keyboard.key('ArrowDown')
      await keyboard.key('Enter')
      await page.waitForURL(/\/requests\?account=acc_/)
      await palette.waitFor({ state: 'hidden' })
      for (const [words, wanted, address] of [
        ['stroller k', 'Stroller key', new RegExp(`/keys/${house.keyId}`)],
        ['sandbox-reas', 'sandbox-reasoner', /\/models\?.*model=sandbox-reasoner/],
      ] as const) {
        await keyboard.key('Control+k')
        await keyboard.type(/Go to a page/, words)
        await palette.locator('[data-selected]').filter({ hasText: wanted }).waitFor()
        await keyboard.key('Enter')
        await page.waitForURL(address)
      }
      const drawer = page.getByRole('dialog', { name: 'sandbox-reasoner' })
      await drawer.waitFor()
      await keyboard.key('Escape')
      await drawer.waitFor({ state: 'hidden' })
      await keyboard.pick(/^Account: Stroller/, /^Elsewhere/)
      await page.waitForURL(new RegExp(other.accountId))

      await page.setViewportSize({ width: 390, height: 844 })
      await keyboard.press(/^Open menu$/)
      await keyboard.press(/^Models$/)
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
      expect(await page.getByRole('button', { name: 'Open menu' }).isVisible()).toBe(true)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'groups the overview; searches, filters and opens models',
    async () => {
      await settlementsOf(stage.gateway, stage.home.keyId, 1)
      const visitor = await stage.enter('owner', '/overview')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await page.getByRole('region', { name: 'Usage by model' }).waitFor()
      await keyboard.choose(/^Time range$/, /24 hours/)
      await keyboard.press(/^Errors$/)
      await page.waitForURL(/metric=errors/)
      await keyboard.choose(/^Group by$/, /By key/)
      await keyboard.press(/^Acme key/)
      await page.waitForURL(/\/keys\/key_/)

      await keyboard.press(/^Models$/)
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
      await keyboard.choose(/^Kind$/, /^Images$/)
      await keyboard.tabTo(/^Search models$/, 'Shift+Tab')
      await keyboard.type(/^Search models$/, 'base64')
      await page.waitForURL(/q=base64/)
      await keyboard.press(/^sandbox-image-base64/)
      const drawer = page.getByRole('dialog', { name: 'sandbox-image-base64' })
      await drawer.waitFor()
      await keyboard.key('Escape')
      await drawer.waitFor({ state: 'hidden' })
      await keyboard.expectAt(/^sandbox-image-base64/)
      await keyboard.tabTo(/^Search models$/, 'Shift+Tab')
      await keyboard.type(/^Search models$/, 'no such model')
      await keyboard.press(/^Clear filters$/)
      await page.getByText('sandbox-chat').first().waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'filters and opens requests',
    async () => {
      const id = await askModel(stage.gateway, stage.home, { model: 'sandbox-tools' })
      const visitor = await stage.enter('owner', '/requests')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await page.locator(`[data-request="${id}"]`).waitFor()
      await keyboard.press(/^Live$/, 'Space')
      await page.waitForURL(/to=/)
      await keyboard.key('Space')
      await keyboard.choose(/^Outcome$/, /Interrupted/i)
      await see(page, 'No matching requests')
      await keyboard.press(/^Clear$/)
      await keyboard.tabTo(/^Model$/, 'Shift+Tab')
      await keyboard.choose(/^Model$/, /^sandbox-tools$/)
      await keyboard.choose(/^Time$/, /hour/i)
      await page.waitForURL(/model=sandbox-tools/)
      await page.locator(`[data-request="${id}"]`).waitFor()
      await keyboard.press(/^sandbox-tools/)
      await page.getByRole('heading', { level: 1, name: /sandbox-tools/ }).waitFor()
      await see(page, /Chosen because/)
      await keyboard.press(/^Requests$/)
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'chats and inspects the exchange; generates, masks and edits an image',
    async () => {
      const visitor = await stage.enter('owner', '/playground')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.suggest(/^Model$/, 'sandbox-chat')
      await keyboard.choose(/^Format/, /Messages/)
      await keyboard.tabTo(/^Message$/, 'Shift+Tab')
      await keyboard.type(/^Message$/, 'say: no mouse was used')
      await keyboard.key('Enter')
      await see(page, /^no mouse was used$/)
      await keyboard.expectAt(/^Message$/)
      await keyboard.tabTo(/^As sent$/, 'Shift+Tab')
      await keyboard.key('Enter')
      const wire = page.getByRole('dialog')
      await see(wire, /\/v1\/messages/)
      await keyboard.key('Escape')
      await wire.waitFor({ state: 'hidden' })
      await keyboard.expectAt(/^As sent$/)
      await keyboard.press(/^Copy as code$/)
      await page.getByRole('dialog').getByText('sandbox-chat').first().waitFor()
      await keyboard.key('Escape')
      await keyboard.expectAt(/^Copy as code$/)

      await keyboard.tabTo(/^Chat$/, 'Shift+Tab')
      await keyboard.arrowTo(/^Images$/, 'ArrowRight')
      await keyboard.suggest(/^Model$/, 'sandbox-image-base64')
      await keyboard.type(/^Prompt$/, 'A lighthouse')
      await keyboard.press(/^Generate$/)
      await page.getByRole('img', { name: 'A lighthouse (1)' }).waitFor()
      await keyboard.tabTo(/^Edit$/, 'Shift+Tab')
      await keyboard.key('Enter')
      await keyboard.tabTo(/^Area to edit/)
      await keyboard.key('ArrowRight')
      await keyboard.key('Space')
      await keyboard.tabTo(/^Clear mask$/)
      await keyboard.type(/^Prompt$/, 'An orange sky')
      await keyboard.press(/^Edit image$/)
      await page.getByRole('img', { name: 'An orange sky (1)' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'chooses a program and tests its connection',
    async () => {
      const visitor = await stage.enter('owner', '/connect')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^Claude Code$/)
      await see(page, /ANTHROPIC_BASE_URL/)
      await keyboard.press(/^Test connection$/)
      await see(page, 'The connection works.')
      await keyboard.expectAt(/^Test connection$/)
      await keyboard.tabTo(/^Secret of the key/, 'Shift+Tab')
      await keyboard.type(/^Secret of the key/, 'sk-not-a-key')
      await keyboard.press(/^Test connection$/)
      await page
        .getByText(/: Failed$/)
        .first()
        .waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )
}
