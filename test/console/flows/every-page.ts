import { afterAll, beforeAll, expect, test } from 'bun:test'
import { findBarriers, findFaintColours, type Visit } from '../support/browser.ts'
import {
  fillRoute,
  findIds,
  isEntry,
  listRoutes,
  listViews,
  settle,
  turn,
  withAccount,
} from '../support/pages.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

/** What no address opens: menus, questions, and what comes of an answer. */
const OPENED: readonly { readonly route: string; readonly steps: readonly (string | RegExp)[] }[] = [
  { route: '/overview', steps: [/^Account:/] },
  { route: '/overview', steps: [/^Menu of/] },
  { route: '/overview', steps: [/^Go to/] },
  { route: '/keys', steps: [/^Actions for/] },
  { route: '/keys/$id', steps: [/^Actions for/, 'Rotate secret'] },
  { route: '/keys/$id', steps: [/^Actions for/, 'Revoke'] },
  { route: '/settings?tab=security', steps: ['Set up'] },
  { route: '/settings?tab=security', steps: ['Sign out everywhere'] },
  { route: '/settings?tab=members', steps: ['Add member'] },
  { route: '/operator/accounts/$id?tab=alerts', steps: ['Set a webhook'] },
  { route: '/operator/audit', steps: [/\d\d:\d\d/] },
  { route: '/operator/suppliers', steps: ['Test all'] },
  { route: '/operator/suppliers/$id', steps: [/^Actions for/, 'Edit'] },
  { route: '/operator/suppliers/$id', steps: [/^Actions for/, 'Delete'] },
  { route: '/operator/models/$id?do=edit', steps: ['Review changes'] },
]

/** Everything that must hold for each page there is, and for each that will be. */
export function describeEveryPage(stage: Stage): void {
  let insider: Visit
  let stranger: Visit
  let ids: Record<string, string>
  beforeAll(async () => {
    ids = await findIds(stage)
    insider = await stage.enter('operator', '/models')
    stranger = await stage.visit()
  }, TEST_MS)
  afterAll(async () => {
    await insider?.page.context().close()
    await stranger?.page.context().close()
  })

  async function open(route: string): Promise<Visit> {
    const visitor = isEntry(route) ? stranger : insider
    visitor.complaints.length = 0
    await visitor.page.emulateMedia({ colorScheme: 'light' })
    await visitor.page.setViewportSize(WIDE)
    const path = fillRoute(route, ids)
    await stage.go(visitor.page, isEntry(route) ? path : withAccount(path, stage.home.accountId))
    await settle(visitor.page)
    return visitor
  }

  /** As it stands, in both colour schemes and at both widths. Of the last of the four only the colours are new. */
  async function expectNoBarrier({ page, complaints }: Visit): Promise<void> {
    const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
    expect(await findBarriers(page)).toEqual([])
    expect(await widthOf()).toBe(WIDE.width)
    await turn(page, 'dark')
    expect(await findBarriers(page)).toEqual([])
    await page.setViewportSize(NARROW)
    await settle(page)
    expect(await findBarriers(page)).toEqual([])
    expect(await widthOf()).toBe(NARROW.width)
    await turn(page, 'light')
    expect(await findFaintColours(page)).toEqual([])
    expect(complaints).toEqual([])
  }

  for (const route of [...listRoutes(), '/no-such-page', ...listViews()]) {
    test(
      `${route} has no barrier, fits the screen, asks nothing of others and does not complain`,
      async () => expectNoBarrier(await open(route)),
      TEST_MS,
    )
  }

  for (const { route, steps } of OPENED) {
    test(
      `${route} has no barrier after ${steps.join(', ')}`,
      async () => {
        const visitor = await open(route)
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
        await expectNoBarrier(visitor)
      },
      TEST_MS,
    )
  }

  test('the router’s pages were found', () => {
    expect(listRoutes().length).toBeGreaterThan(20)
    expect(listRoutes()).toContain('/operator/system')
  })
}
