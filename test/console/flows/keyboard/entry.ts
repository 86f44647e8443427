import { expect, test } from 'bun:test'
import { decodeBase32, stepAt, totpCode } from '../../../../src/rules/access/totp.ts'
import { browserOf } from '../../../console-api/support/people.ts'
import { Hands } from '../../support/hands.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, readCode, see } from '../../support/visible.ts'

const EMAIL = 'hands@desk.example'
const PASSWORD = 'copper lantern riverbank'
const NEXT_PASSWORD = 'walnut orchard evening'

/** Coming in and going out. */
export function describeEntryByKeyboard(stage: Stage): void {
  test(
    'sign up, change the password, set up a second factor, end sessions, sign out and in again',
    async () => {
      const visitor = await stage.visit()
      const { page } = visitor
      const hands = new Hands(page)
      await stage.go(page, '/sign-in')
      await hands.expectAt(/^E-mail/)
      await hands.press(/^Create an account$/)
      await page.getByRole('heading', { name: 'Create an account' }).waitFor()
      await hands.type(/^Name/, 'Hands Only')
      await hands.type(/^E-mail/, EMAIL)
      await hands.type(/^Password/, PASSWORD)
      await hands.key('Enter')
      await page.waitForURL(/\/console\/overview\?account=/)

      await hands.press(/^Settings$/)
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await hands.turnTo(/^Profile$/, /^Security$/)
      await see(page, 'this session')
      await hands.type(/^Current password/, PASSWORD)
      await hands.type(/^New password/, NEXT_PASSWORD)
      await hands.press(/^Change password$/)
      await see(page, /^Your password was changed/)
      await hands.expectAt(/^Change password$/)

      await hands.press(/^Set up$/)
      const setup = page.getByRole('dialog', { name: 'Set up the second factor' })
      const secret = decodeBase32(await readCode(setup))
      const step = stepAt(Date.now())
      await hands.type(/Enter the code/, totpCode(secret, step))
      await hands.key('Enter')
      await page.getByRole('dialog', { name: 'Save your recovery codes' }).waitFor()
      await hands.press(/^I saved them$/)
      await page.getByRole('button', { name: 'Switch off' }).waitFor()

      await hands.pick(/^User menu: Hands Only/, /^Sign out$/)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await hands.type(/^E-mail/, EMAIL)
      await hands.type(/^Password/, NEXT_PASSWORD)
      await hands.press(/^Sign in$/)
      await page.getByRole('heading', { name: 'One more step' }).waitFor()
      await hands.type(/^Code/, totpCode(secret, step + 1))
      await hands.key('Enter')
      await page.locator('#main').waitFor()

      await hands.press(/^Settings$/)
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await hands.turnTo(/^Profile$/, /^Security$/)
      await hands.press(/^Switch off$/)
      await page.getByRole('dialog', { name: 'Switch off the second factor' }).waitFor()
      await hands.type(/^Your password/, NEXT_PASSWORD)
      await hands.key('Enter')
      await see(page, 'The second factor is off.')

      const elsewhere = await browserOf(stage.gateway, EMAIL, NEXT_PASSWORD)
      await page.reload()
      await hands.press(/^End the session in/)
      await see(page, 'That session has ended.')
      expect((await elsewhere.call('GET /sessions')).status).toBe(401)
      await hands.press(/^Sign out everywhere$/)
      const question = page.getByRole('dialog', { name: 'Sign out everywhere?' })
      await question.waitFor()
      await hands.key('Escape')
      await question.waitFor({ state: 'hidden' })
      await hands.expectAt(/^Sign out everywhere$/)
      await hands.key('Enter')
      await question.waitFor()
      await hands.press(/^Sign out everywhere$/)
      await page.waitForURL(/sign-in/)
      await leave(visitor)
    },
    TEST_MS,
  )
}
