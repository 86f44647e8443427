import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addHousehold } from '../../console-api/support/account-stage.ts'
import { addPerson, browserOf, PASSWORD } from '../../console-api/support/people.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, readCode, see } from '../support/visible.ts'

const MOST_STEPS = 120

const NAME_OF_FOCUSED = `(() => {
  const element = document.activeElement
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText
  return (label ?? '').trim()
})()`

/** Presses Tab until what is focused has this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let step = 0; step < MOST_STEPS; step++) {
    const focused = String(await page.evaluate(NAME_OF_FOCUSED))
    if (name.test(focused)) return
    passed.push(focused.slice(0, 30))
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${name}; it passed ${passed.join(' | ')}`)
}

/** Goes down an open menu to what has this name, and takes it. */
async function pick(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('menuitem', { name }).waitFor()
  for (let step = 0; step < MOST_STEPS; step++) {
    if (name.test(String(await page.evaluate(NAME_OF_FOCUSED)))) return page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
  }
  throw new Error(`the arrows do not reach ${name}`)
}

async function press(page: Page, name: RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

async function type(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}

/** The main path of each flow, with no mouse at hand. */
export function describeKeyboard(stage: Stage): void {
  test(
    'skip link, palette and pages',
    async () => {
      const visitor = await stage.enter('operator', '/settings')
      const { page } = visitor
      await page.keyboard.press('Tab')
      expect(await page.evaluate(NAME_OF_FOCUSED)).toBe('Skip to the content')
      await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement.id')).toBe('main')
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByLabel('Go to a page').waitFor()
      await type(page, /Go to a page/, 'audit')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(/operator\/audit\?account=acc_/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'sign in, make a key, revoke it, change the account, ask a model',
    async () => {
      const house = await addHousehold(stage.gateway, 'Typist')
      const other = await addHousehold(stage.gateway, 'Elsewhere')
      await addPerson(stage.gateway, 'typist@desk.example', { accountId: house.accountId, role: 'owner' })
      await other.owner.call(`POST /accounts/${other.accountId}/members`, {
        body: { email: 'typist@desk.example', role: 'member' },
      })
      const visitor = await stage.visit()
      const { page } = visitor
      await stage.go(page, `/keys?account=${house.accountId}`)
      await type(page, /^E-mail/, 'typist@desk.example')
      await type(page, /^Password/, PASSWORD)
      await page.keyboard.press('Enter')

      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
      await press(page, /^Create key$/)
      const drawer = page.getByRole('dialog', { name: 'Create an API key' })
      await drawer.waitFor()
      await type(page, /^Name/, 'by hand')
      await press(page, /^Create key$/)
      const issued = page.getByRole('dialog', { name: 'The secret of by hand' })
      expect(await readCode(issued)).toStartWith('sk-')
      await press(page, /^I have kept it$/)
      await issued.waitFor({ state: 'hidden' })

      await press(page, /^Actions for by hand$/)
      await pick(page, /^Revoke$/)
      const question = page.getByRole('dialog', { name: 'Revoke by hand?' })
      await question.waitFor()
      await type(page, /^Type by hand/, 'by hand')
      await page.keyboard.press('Enter')
      await see(page, 'by hand is revoked.')

      await press(page, /^Account: Typist/)
      await pick(page, /^Elsewhere/)
      await page.waitForURL(new RegExp(other.accountId))

      await press(page, /^Playground$/)
      await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
      await type(page, /^Message$/, 'say: no mouse was used')
      await page.keyboard.press('Enter')
      await see(page, /^no mouse was used$/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'an operator records a payment',
    async () => {
      const house = await addHousehold(stage.gateway, 'Cashier')
      const { email, password } = stage.admin
      const operator = await browserOf(stage.gateway, email, password)
      const visitor = await stage.enterWith(
        operator.cookies,
        `/operator/accounts/${house.accountId}?tab=money`,
      )
      const { page } = visitor
      await page
        .getByRole('region', { name: 'Payments' })
        .or(page.getByText('No payment yet'))
        .first()
        .waitFor()
      await press(page, /^Record payment$/)
      await page.getByRole('dialog').waitFor()
      await type(page, /^Amount/, '12.5')
      await type(page, /^Reference/, 'typed-1')
      await page.keyboard.press('Enter')
      await see(page, 'The payment was recorded.')
      await leave(visitor)
    },
    TEST_MS,
  )
}
