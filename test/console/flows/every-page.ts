import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { findBarriers, findFaintColours, type Visit } from '../support/browser.ts'
import { fillRoute, findIds, isEntry, listRoutes, listViews, settle, withAccount } from '../support/pages.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

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

  const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth')

  for (const route of [...listRoutes(), '/no-such-page']) {
    test(
      `${route} has no barrier, fits the screen, asks nothing of others and does not complain`,
      async () => {
        const { page, complaints } = await open(route)
        expect(await findBarriers(page)).toEqual([])
        expect(await widthOf(page)).toBe(WIDE.width)
        // Between light and dark only the colours differ.
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await findFaintColours(page)).toEqual([])
        await page.setViewportSize(NARROW)
        await settle(page)
        expect(await findFaintColours(page)).toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
        expect(await findBarriers(page)).toEqual([])
        expect(await widthOf(page)).toBe(NARROW.width)
        expect(complaints).toEqual([])
      },
      TEST_MS,
    )
  }

  for (const view of listViews()) {
    test(
      `${view} has no barrier either`,
      async () => {
        const { page, complaints } = await open(view)
        expect(await findBarriers(page)).toEqual([])
        expect(complaints).toEqual([])
      },
      TEST_MS,
    )
  }

  test('the router’s pages were found', () => {
    expect(listRoutes().length).toBeGreaterThan(20)
    expect(listRoutes()).toContain('/operator/system')
  })
}
