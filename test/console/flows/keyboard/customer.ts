import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../../support/settlements.ts'
import { Hands } from '../../support/hands.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** What a customer looks at and tries. */
export function describeCustomerByKeyboard(stage: Stage): void {
  test(
    'skip link, palette, pages, accounts, and the menu of a phone',
    async () => {
      const house = await addHousehold(stage.gateway, 'Stroller')
      const other = await addHousehold(stage.gateway, 'Elsewhere')
      await other.owner.call(`POST /accounts/${other.accountId}/members`, {
        body: { email: 'owner@stroller.example', role: 'member' },
      })
      const visitor = await stage.enterHome(house, `/settings?account=${house.accountId}`)
      const { page } = visitor
      const hands = new Hands(page)
      await hands.key('Tab')
      await hands.expectAt(/^Skip to content$/)
      await hands.key('Enter')
      expect(await page.evaluate('document.activeElement.id')).toBe('main')
      await hands.key('Control+k')
      const palette = page.getByRole('dialog')
      await palette.getByLabel('Go to a page').waitFor()
      await hands.key('Escape')
      await palette.waitFor({ state: 'hidden' })
      await hands.key('Control+k')
      await palette.getByLabel('Go to a page').waitFor()
      await hands.type(/Go to a page/, 'requests')
      await hands.key('ArrowDown')
      await hands.key('Enter')
      await page.waitForURL(/\/requests\?account=acc_/)
      await palette.waitFor({ state: 'hidden' })
      await hands.pick(/^Account: Stroller/, /^Elsewhere/)
      await page.waitForURL(new RegExp(other.accountId))

      await page.setViewportSize({ width: 390, height: 844 })
      await hands.press(/^Open menu$/)
      await hands.press(/^Models$/)
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
      expect(await page.getByRole('button', { name: 'Open menu' }).isVisible()).toBe(true)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'the overview is told apart otherwise; models are searched, narrowed and opened',
    async () => {
      await settlementsOf(stage.gateway, stage.home.keyId, 1)
      const visitor = await stage.enter('owner', '/overview')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await page.getByRole('region', { name: 'Usage by model' }).waitFor()
      await hands.choose(/^Time range$/, /24 hours/)
      await hands.press(/^Errors$/)
      await page.waitForURL(/metric=errors/)
      await hands.choose(/^Group by$/, /By key/)
      await hands.press(/^Acme key/)
      await page.waitForURL(/\/keys\/key_/)

      await hands.press(/^Models$/)
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
      await hands.choose(/^Kind$/, /^Images$/)
      await hands.tabTo(/^Search models$/, 'Shift+Tab')
      await hands.type(/^Search models$/, 'base64')
      await page.waitForURL(/q=base64/)
      await hands.press(/^sandbox-image-base64/)
      const drawer = page.getByRole('dialog', { name: 'sandbox-image-base64' })
      await drawer.waitFor()
      await hands.key('Escape')
      await drawer.waitFor({ state: 'hidden' })
      await hands.expectAt(/^sandbox-image-base64/)
      await hands.tabTo(/^Search models$/, 'Shift+Tab')
      await hands.type(/^Search models$/, 'no such model')
      await hands.press(/^Clear filters$/)
      await page.getByText('sandbox-chat').first().waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'requests are narrowed, cleared and opened',
    async () => {
      const id = await askModel(stage.gateway, stage.home, { model: 'sandbox-tools' })
      const visitor = await stage.enter('owner', '/requests')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await page.locator(`[data-request="${id}"]`).waitFor()
      await hands.press(/^Live$/, 'Space')
      await page.waitForURL(/to=/)
      await hands.key('Space')
      await hands.choose(/^Outcome$/, /Interrupted/i)
      await see(page, 'No matching requests')
      await hands.press(/^Clear$/)
      await hands.tabTo(/^Model$/, 'Shift+Tab')
      await hands.choose(/^Model$/, /^sandbox-tools$/)
      await hands.choose(/^Time$/, /hour/i)
      await page.waitForURL(/model=sandbox-tools/)
      await page.locator(`[data-request="${id}"]`).waitFor()
      await hands.press(/^sandbox-tools/)
      await page.getByRole('heading', { level: 1, name: /sandbox-tools/ }).waitFor()
      await see(page, /Chosen because/)
      await hands.press(/^Requests$/)
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'a chat is held and looked into; a picture is made, marked and changed',
    async () => {
      const visitor = await stage.enter('owner', '/playground')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await hands.suggest(/^Model$/, 'sandbox-chat')
      await hands.choose(/^Format/, /Messages/)
      await hands.tabTo(/^Message$/, 'Shift+Tab')
      await hands.type(/^Message$/, 'say: no mouse was used')
      await hands.key('Enter')
      await see(page, /^no mouse was used$/)
      await hands.expectAt(/^Message$/)
      await hands.tabTo(/^As sent$/, 'Shift+Tab')
      await hands.key('Enter')
      const wire = page.getByRole('dialog')
      await see(wire, /\/v1\/messages/)
      await hands.key('Escape')
      await wire.waitFor({ state: 'hidden' })
      await hands.expectAt(/^As sent$/)
      await hands.press(/^Copy as code$/)
      await page.getByRole('dialog').getByText('sandbox-chat').first().waitFor()
      await hands.key('Escape')
      await hands.expectAt(/^Copy as code$/)

      await hands.tabTo(/^Chat$/, 'Shift+Tab')
      await hands.arrowTo(/^Images$/, 'ArrowRight')
      await hands.suggest(/^Model$/, 'sandbox-image-base64')
      await hands.type(/^Prompt$/, 'A lighthouse')
      await hands.press(/^Generate$/)
      await page.getByRole('img', { name: 'A lighthouse (1)' }).waitFor()
      await hands.tabTo(/^Edit$/, 'Shift+Tab')
      await hands.key('Enter')
      await hands.tabTo(/^Area to edit/)
      await hands.key('ArrowRight')
      await hands.key('Space')
      await hands.tabTo(/^Clear mask$/)
      await hands.type(/^Prompt$/, 'An orange sky')
      await hands.press(/^Edit image$/)
      await page.getByRole('img', { name: 'An orange sky (1)' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'a program is chosen and its connection tested',
    async () => {
      const visitor = await stage.enter('owner', '/connect')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await hands.press(/^Claude Code$/)
      await see(page, /ANTHROPIC_BASE_URL/)
      await hands.press(/^Test connection$/)
      await see(page, 'The connection works.')
      await hands.expectAt(/^Test connection$/)
      await hands.tabTo(/^Secret of the key/, 'Shift+Tab')
      await hands.type(/^Secret of the key/, 'sk-not-a-key')
      await hands.press(/^Test connection$/)
      await page
        .getByText(/: Failed$/)
        .first()
        .waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )
}
