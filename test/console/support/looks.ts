import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findAccessibilityIssues, findContrastIssues } from './browser.ts'

const CONSOLE = join(import.meta.dirname, '../../../console')

/**
 * Elements of the part that can be seen whole, which is what axe judges the contrast of; it says nothing about what a
 * scrolled box cuts off.
 */
const findWhole = (part: string | null) => `((root) => {
  const clips = new Map([[null, { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity }]])
  const clipOf = (element) => {
    const known = clips.get(element)
    if (known) return known
    const outer = clipOf(element.parentElement)
    const { overflowX, overflowY } = getComputedStyle(element)
    const isOpen = element === document.body || element === document.documentElement || (overflowX === 'visible' && overflowY === 'visible')
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const clip = isOpen ? outer : {
      left: Math.max(left, outer.left), right: Math.min(right, outer.right),
      top: Math.max(top, outer.top), bottom: Math.min(bottom, outer.bottom),
    }
    clips.set(element, clip)
    return clip
  }
  return [root, ...root.querySelectorAll('*')].filter((element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const clip = clipOf(element.parentElement)
    return left > clip.left - 1 && right < clip.right + 1 && top > clip.top - 1 && bottom < clip.bottom + 1
  })
})(${part === null ? 'document.documentElement' : `document.querySelector(${JSON.stringify(part)})`})`

/** All axe violations in this look. Keeps in the page which elements were seen in it. */
export async function checkWhole(page: Page, part: string | null): Promise<string[]> {
  await page.evaluate(`void (window.seenInTests = new WeakSet(${findWhole(part)}))`)
  return findAccessibilityIssues(page, part)
}

/**
 * The contrast of what the last whole check did not see, because it was in another width. What it did see has the same
 * colours now, since those depend on the scheme and never on the width.
 */
export async function checkRest(page: Page, part: string | null): Promise<string[]> {
  const unseen = await page.evaluate(`(() => {
    const unseen = ${findWhole(part)}.filter((element) => !seenInTests.has(element))
    const all = new Set(unseen)
    window.unseenInTests = unseen.filter(({ parentElement }) => !all.has(parentElement))
    return unseenInTests.length
  })()`)
  return unseen === 0 ? [] : findContrastIssues(page, '{ include: unseenInTests }')
}

/** Style rules that set a colour for some widths only. */
export function listColoursByWidth(): string[] {
  const found: string[] = []
  for (const file of new Bun.Glob('**/*.css').scanSync({ cwd: CONSOLE })) {
    if (file.startsWith('dist/')) continue
    const source = readFileSync(join(CONSOLE, file), 'utf8')
    for (const [block] of source.matchAll(/@media[^{]*width[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g)) {
      for (const [line] of block.matchAll(
        /[\w-]*(?:color|background|opacity|fill|filter|blend)[\w-]*\s*:[^;{}]*;/g,
      ))
        found.push(`${file}: ${line}`)
    }
  }
  return found
}
