import { expect, test } from 'bun:test'
import { decodeBase32, stepAt, totpCode } from '../../../../src/rules/access/totp.ts'
import { browserOf } from '../../../console-api/support/people.ts'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, readCode, see } from '../../support/visible.ts'

const EMAIL = 'keyboard@example.com'
const PASSWORD = 'copper lantern riverbank'
const NEXT_PASSWORD = 'walnut orchard evening'

/** Signing in and out. */
export function describeEntryByKeyboard(stage: Stage): void {
  test(
    'signs up, changes the password, sets up a second factor, ends sessions, signs out and in again',
    async () => {
      const visitor = await stage.visit()
      const { page } = visitor
      const keyboard = new KeyboardUser(page)
      await stage.go(page, '/sign-in')
      await keyboard.expectAt(/^E-mail/)
      await keyboard.press(/^Create an account$/)
      await page.getByRole('heading', { name: 'Create an account' }).waitFor()
      await keyboard.type(/^Name/, 'Keyboard Only')
      await keyboard.type(/^E-mail/, EMAIL)
      await keyboard.type(/^Password/, PASSWORD)
      await keyboard.key('Enter')
      await page.waitForURL(/\/console\/overview\?account=/)

      await keyboard.press(/^Settings$/)
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await keyboard.turnTo(/^Profile$/, /^Security$/)
      await see(page, 'this session')
      await keyboard.type(/^Current password/, PASSWORD)
      await keyboard.type(/^New password/, NEXT_PASSWORD)
      await keyboard.press(/^Change password$/)
      await see(page, /^Your password was changed/)
      await keyboard.expectAt(/^Change password$/)

      await keyboard.press(/^Set up$/)
      const setup = page.getByRole('dialog', { name: 'Set up the second factor' })
      const secret = decodeBase32(await readCode(setup))
      const step = stepAt(Date.now())
      await keyboard.type(/Enter the code/, totpCode(secret, step))
      await keyboard.key('Enter')
      await page.getByRole('dialog', { name: 'Save your recovery codes' }).waitFor()
      await keyboard.press(/^I saved them$/)
      await page.getByRole('button', { name: 'Switch off' }).waitFor()

      await keyboard.pick(/^User menu: Keyboard Only/, /^Sign out$/)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await keyboard.type(/^E-mail/, EMAIL)
      await keyboard.type(/^Password/, NEXT_PASSWORD)
      await keyboard.press(/^Sign in$/)
      await page.getByRole('heading', { name: 'One more step' }).waitFor()
      await keyboard.type(/^Code/, totpCode(secret, step + 1))
      await keyboard.key('Enter')
      await page.locator('#main').waitFor()

      await keyboard.press(/^Settings$/)
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await keyboard.turnTo(/^Profile$/, /^Security$/)
      await keyboard.press(/^Switch off$/)
      await page.getByRole('dialog', { name: 'Switch off the second factor' }).waitFor()
      await keyboard.type(/^Your password/, NEXT_PASSWORD)
      await keyboard.key('Enter')
      await see(page, 'The second factor is off.')

      const elsewhere = await browserOf(stage.gateway, EMAIL, NEXT_PASSWORD)
      await page.reload()
      await keyboard.press(/^End the session in/)
      await see(page, 'That session has ended.')
      expect((await elsewhere.call('GET /sessions')).status).toBe(401)
      await keyboard.press(/^Sign out everywhere$/)
      const question = page.getByRole('dialog', { name: 'Sign out everywhere?' })
      await question.waitFor()
      await keyboard.key('Escape')
      await question.waitFor({ state: 'hidden' })
      await keyboard.expectAt(/^Sign out everywhere$/)
      await keyboard.key('Enter')
      await question.waitFor()
      await keyboard.press(/^Sign out everywhere$/)
      await page.waitForURL(/sign-in/)
      await leave(visitor)
    },
    TEST_MS,
  )
}
