import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE, type Visit } from '../support/browser.ts'
import { type HostileAccount, MARKUP } from '../support/hostile-words.ts'
import { checkRest, checkWhole, listColoursByWidth } from '../support/looks.ts'
import {
  fillRoute,
  isEntry,
  listRoutes,
  listViews,
  settle,
  settleView,
  stopMoves,
  turn,
  withAccount,
} from '../support/pages.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { expectHarmless } from '../support/visible.ts'

const MISSING = '/no-such-page'
const DIALOG = '[role="dialog"]'

/** Views without an address: menus, dialogs and results. */
const OPENED: readonly {
  readonly route: string
  readonly isHome?: boolean
  readonly steps: readonly (string | RegExp)[]
}[] = [
  { route: '/overview', isHome: true, steps: [/^Account:/] },
  { route: '/overview', steps: [/^User menu:/] },
  { route: '/overview', steps: [/^Go to/] },
  { route: '/keys', steps: [/^Actions for/] },
  { route: '/keys/$id', steps: [/^Actions for/, 'Rotate secret'] },
  { route: '/keys/$id', steps: [/^Actions for/, 'Revoke'] },
  { route: '/settings?tab=security', steps: ['Set up'] },
  { route: '/settings?tab=security', steps: ['Sign out everywhere'] },
  { route: '/settings?tab=members', steps: ['Add member'] },
  { route: '/operator/accounts/$id?tab=alerts', steps: ['Set up a webhook'] },
  { route: '/operator/alerts?tab=channels', steps: [/^Actions for/, 'Edit'] },
  { route: '/operator/sinks', steps: [/^Actions for/, 'Delete'] },
  { route: '/operator/audit', steps: [/\d\d:\d\d/] },
  { route: '/operator/suppliers', steps: ['Test all'] },
  { route: '/operator/suppliers/$id', steps: [/^Actions for/, 'Edit'] },
  { route: '/operator/suppliers/$id', steps: [/^Actions for/, 'Delete'] },
  { route: '/operator/models/$id?do=edit', steps: ['Review changes'] },
  { route: '/operator/models/$id?route=sandbox-openai', steps: ['Edit variant 1', 'More rates'] },
  { route: '/operator/models/$id?route=sandbox-openai', steps: ['Add a variant', 'Review changes'] },
]

/** Fills every field, as if pasted, and waits for the page each time. Returns the number of fields. */
const PASTE_EVERYWHERE = `(async () => {
  const kinds = ['text', 'search', 'email', 'url', 'tel', 'password', 'textarea']
  const fields = [...document.querySelectorAll('input, textarea')].filter(({ type }) => kinds.includes(type))
  let count = 0
  for (const field of fields) {
    if (!field.isConnected || !field.checkVisibility() || field.disabled || field.readOnly) continue
    field.focus()
    field.select()
    if (document.execCommand('insertText', false, ${JSON.stringify(MARKUP)})) count += 1
    await new Promise(requestAnimationFrame)
  }
  return count
})()`

/** Checks that apply to every page, including future ones. They share one visit, because opening a page is slow. */
export function describeEveryPage(stage: Stage): void {
  let pasted = 0
  let insider: Visit
  let stranger: Visit
  let hostile: HostileAccount
  beforeAll(async () => {
    // This account has the most data and the longest words, which must not make a page too wide.
    hostile = await stage.hostile()
    insider = await stage.enter('operator', '/models')
    stranger = await stage.visit()
    await stopMoves(insider.page)
  }, TEST_MS)
  afterAll(async () => {
    await insider?.end()
    await stranger?.end()
  })

  async function open(route: string, accountId = hostile.accountId): Promise<Visit> {
    const visitor = isEntry(route) ? stranger : insider
    visitor.problems.length = 0
    const path = fillRoute(route, hostile.ids)
    if (isEntry(route)) await load(visitor.page, path)
    else await walk(visitor.page, route === MISSING ? null : withAccount(path, accountId))
    await settleView(visitor.page, route)
    return visitor
  }

  async function load(page: Page, path: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(DESKTOP)
    await stage.go(page, path)
    await stopMoves(page)
  }

  async function walk(page: Page, path: string | null): Promise<void> {
    await stage.stepOut(page)
    await turn(page, 'light')
    await page.setViewportSize(DESKTOP)
    if (path !== null) await stage.stepIn(page, path)
  }

  /**
   * Checks both colour schemes and both widths. The page below a dialog is checked separately. A scheme is checked whole
   * in one width; in the other only the contrast of what the first did not show is left.
   */
  async function expectAccessible({ page, problems }: Visit): Promise<void> {
    const part = (await page.locator(DIALOG).count()) > 0 ? DIALOG : null
    const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
    expect(await checkWhole(page, part)).toEqual([])
    expect(await widthOf()).toBe(DESKTOP.width)
    await page.setViewportSize(PHONE)
    await settle(page)
    expect(await checkRest(page, part)).toEqual([])
    await turn(page, 'dark')
    expect(await checkWhole(page, part)).toEqual([])
    expect(await widthOf()).toBe(PHONE.width)
    await page.setViewportSize(DESKTOP)
    await settle(page)
    expect(await checkRest(page, part)).toEqual([])
    expect(problems).toEqual([])
  }

  /** Typed text reappears in suggestions, previews and messages. */
  async function expectHarmlessPaste(visitor: Visit): Promise<void> {
    const { page } = visitor
    pasted += Number(await page.evaluate(PASTE_EVERYWHERE))
    await expectHarmless(visitor)
  }

  for (const route of [...listRoutes(), MISSING, ...listViews()]) {
    test(
      `${route} is accessible, fits the screen, calls no other host, escapes markup and logs no errors`,
      async () => {
        const visitor = await open(route)
        // All texts of this account are markup.
        await expectHarmless(visitor)
        await expectAccessible(visitor)
        if (!isEntry(route)) await expectHarmlessPaste(visitor)
      },
      TEST_MS,
    )
  }

  test('found fields to type into', () => {
    expect(pasted).toBeGreaterThan(2 * listViews().length)
  })

  for (const { route, isHome, steps } of OPENED) {
    test(
      `${route} is accessible after ${steps.join(', ')}`,
      async () => {
        const visitor = await open(route, isHome ? stage.home.accountId : hostile.accountId)
        for (const name of steps) {
          await visitor.page
            .getByRole('button', { name })
            .or(visitor.page.getByRole('menuitem', { name }))
            .filter({ visible: true })
            .first()
            .click()
        }
        await visitor.page
          .locator('[role="dialog"], [role="menu"], [role="alert"], [aria-label="Results of the test"]')
          .first()
          .waitFor()
        await settle(visitor.page)
        await expectAccessible(visitor)
      },
      TEST_MS,
    )
  }

  test('no colour depends on the width of the screen', () => {
    expect(listColoursByWidth()).toEqual([])
  })

  test('found the pages of the router', () => {
    expect(listRoutes().length).toBeGreaterThan(20)
    expect(listRoutes()).toContain('/operator/system')
  })
}
