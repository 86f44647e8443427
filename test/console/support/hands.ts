import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'

const MOST_STEPS = 150
const OPEN_MS = 3_000

/** What a screen reader would call the element, near enough to find it by. */
const NAME_OF_FOCUSED = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return ''
  const named = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id))
  const label =
    element.getAttribute('aria-label') ??
    element.labels?.[0]?.innerText ??
    named.map((each) => each?.innerText ?? '').join(' ').trim()
  return (label || element.innerText || '').trim()
})()`

const IS_IN_DIALOG = `document.activeElement?.closest('[role="dialog"]') !== null`

const CHOSEN_OPTION = 'document.activeElement.selectedOptions?.[0]?.label'

const MARKED_OPTION = `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText`

/** Somebody with a keyboard and no mouse: everything is reached by keys, nothing is clicked or focused for them. */
export class Hands {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Past the navigation, by the link that is there for this. */
  static async inContent(page: Page): Promise<Hands> {
    const hands = new Hands(page)
    await hands.press(/^Skip to content$/)
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    return hands
  }

  key(name: string): Promise<void> {
    return this.#page.keyboard.press(name)
  }

  async focused(): Promise<string> {
    return String(await this.#page.evaluate(NAME_OF_FOCUSED))
  }

  /** Presses Tab until what is focused has this name. */
  async tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const passed: string[] = []
    for (let step = 0; step < MOST_STEPS; step++) {
      const focused = await this.focused()
      if (name.test(focused)) return
      passed.push(focused.slice(0, 24).replaceAll('\n', ' '))
      await this.key(key)
    }
    throw new Error(`the keyboard does not reach ${name}; it passed ${[...new Set(passed)].join(' | ')}`)
  }

  async press(name: RegExp, key = 'Enter'): Promise<void> {
    await this.tabTo(name)
    await this.key(key)
  }

  /** Over whatever the field holds. */
  async type(name: RegExp, text: string): Promise<void> {
    await this.tabTo(name)
    await this.key('Control+a')
    await this.#page.keyboard.insertText(text)
  }

  /** The keys themselves, for what does more than take text. */
  strike(text: string): Promise<void> {
    return this.#page.keyboard.type(text)
  }

  /** Goes through the options of a list until the wanted one is chosen. */
  async choose(name: RegExp, option: RegExp): Promise<void> {
    await this.tabTo(name)
    await this.key('Home')
    for (let step = 0; step < MOST_STEPS; step++) {
      if (option.test(String(await this.#page.evaluate(CHOSEN_OPTION)))) return
      await this.key('ArrowDown')
    }
    throw new Error(`the arrows do not reach the option ${option}`)
  }

  /** Types into a field that suggests, and takes what it suggests. */
  async suggest(name: RegExp, text: string): Promise<void> {
    await this.tabTo(name)
    await this.key('Control+a')
    await this.strike(text)
    const suggestion = this.#page.getByRole('option', { name: text }).first()
    // Suggestions that arrive after the last key was struck leave the list closed until somebody opens it.
    await suggestion.waitFor({ timeout: OPEN_MS }).catch(() => this.key('ArrowDown'))
    await suggestion.waitFor()
    for (let step = 0; step < MOST_STEPS; step++) {
      if (String(await this.#page.evaluate(MARKED_OPTION)) === text) return this.key('Enter')
      await this.key('ArrowDown')
    }
    throw new Error(`the arrows do not reach the suggestion ${text}`)
  }

  /** From where the focus is, along tabs, radio buttons or the items of a menu. */
  async arrowTo(name: RegExp, key: 'ArrowDown' | 'ArrowRight'): Promise<void> {
    for (let step = 0; step < MOST_STEPS; step++) {
      if (name.test(await this.focused())) return
      await this.key(key)
    }
    throw new Error(`the arrows do not reach ${name}`)
  }

  async pick(menu: RegExp, item: RegExp): Promise<void> {
    await this.press(menu)
    await this.#page.getByRole('menuitem', { name: item }).waitFor()
    await this.arrowTo(item, 'ArrowDown')
    await this.key('Enter')
  }

  /** From the tab that is chosen now, of whatever name, to another one. */
  async turnTo(from: RegExp, to: RegExp): Promise<void> {
    await this.tabTo(from)
    await this.arrowTo(to, 'ArrowRight')
  }

  /** The focus must have come back to where it was, or the next key would go nowhere. */
  async expectAt(name: RegExp): Promise<void> {
    // A dialog that is about to close may have the name of what opened it.
    const isThere = async () => name.test(await this.focused()) && !(await this.#page.evaluate(IS_IN_DIALOG))
    // What did not happen is told by the comparison.
    await eventually('the return of the focus', isThere, OPEN_MS).catch(() => undefined)
    expect(await this.focused()).toMatch(name)
  }
}
