import { expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { Visit } from './browser.ts'

/** Waits until the text is anywhere on the page. */
export function see(page: Page | Locator, text: string | RegExp): Promise<void> {
  return page.getByText(text).filter({ visible: true }).first().waitFor()
}

export function press(page: Page | Locator, name: string | RegExp): Promise<void> {
  return page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
}

export function field(page: Page | Locator, name: string): Locator {
  return page.getByRole('textbox', { name, exact: true })
}

/** Opens the menu of a row and selects an item. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await press(page, menu)
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** The text of the first code block. */
export async function readCode(place: Page | Locator): Promise<string> {
  return (await place.locator('.code-block-text').first().innerText()).trim()
}

/** Ends a visit and expects that it had no problems. */
export async function leave(visitor: Visit): Promise<void> {
  expect(visitor.problems).toEqual([])
  await visitor.end()
}

/** Expects that no markup became an element or ran. */
export async function expectHarmless({ page, problems }: Visit): Promise<void> {
  expect(await page.locator('[data-hostile]').count()).toBe(0)
  expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
  expect(problems).toEqual([])
}
