import { expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { Visit } from './browser.ts'

/** Waits until the text is on the page, wherever it is. */
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

/** Opens the menu of a row and chooses from it. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await press(page, menu)
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** The text of the first code block, as it would be pasted. */
export async function readCode(place: Page | Locator): Promise<string> {
  return (await place.locator('.code-block-text').first().innerText()).trim()
}

/** Ends a visit, during which nothing may have happened that a person would not want to see. */
export async function leave(visitor: Visit): Promise<void> {
  expect(visitor.complaints).toEqual([])
  await visitor.end()
}

/** No stored or typed markup became an element, and none of it ran. */
export async function expectHarmless({ page, complaints }: Visit): Promise<void> {
  expect(await page.locator('[data-hostile]').count()).toBe(0)
  expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
  expect(complaints).toEqual([])
}
