import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'

const MAX_STEPS = 150
const OPEN_MS = 3_000

/** An approximation of an element's accessible name. */
const NAME_OF = `((element) => {
  if (!element || element === document.body) return ''
  const named = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id))
  const label =
    element.getAttribute('aria-label') ??
    element.labels?.[0]?.innerText ??
    named.map((each) => each?.innerText ?? '').join(' ').trim()
  return (label || element.innerText || '').trim()
})`

const NAME_OF_FOCUSED = `(${NAME_OF})(document.activeElement)`

/**
 * How many stops of the Tab key lie between the focus and the first one with the name. None where it would be a guess:
 * from a page without focus, towards a dialog that does not have it yet, or when the name is not found.
 */
const stopsBefore = (name: RegExp, isBack: boolean) => `(() => {
  const nameOf = ${NAME_OF}
  const from = document.activeElement
  const dialog = [...document.querySelectorAll('[role="dialog"]')].at(-1)
  if (!from || from === document.body || (dialog && !dialog.contains(from))) return 0
  const isStop = (element) =>
    element.tabIndex >= 0 &&
    (element.type !== 'radio' || element.checked) &&
    !element.matches(':disabled, [inert] *') &&
    element.checkVisibility({ visibilityProperty: true })
  const side = ${isBack} ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING
  const stops = [...(dialog ?? document).querySelectorAll('a[href], button, input, select, textarea, [tabindex]')]
    .filter((element) => from.compareDocumentPosition(element) & side && isStop(element))
  if (${isBack}) stops.reverse()
  return Math.max(0, stops.findIndex((element) => ${name}.test(nameOf(element))))
})()`

const IS_IN_DIALOG = `document.activeElement?.closest('[role="dialog"]') !== null`

const CHOSEN_OPTION = 'document.activeElement.selectedOptions?.[0]?.label'

const MARKED_OPTION = `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText`

/** A user with a keyboard and no mouse: reaches everything by keys, without clicks or direct focus. */
export class KeyboardUser {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Skips the navigation with the skip link. */
  static async inContent(page: Page): Promise<KeyboardUser> {
    const keyboard = new KeyboardUser(page)
    await keyboard.press(/^Skip to content$/)
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    return keyboard
  }

  key(name: string): Promise<void> {
    return this.#page.keyboard.press(name)
  }

  async focused(): Promise<string> {
    return String(await this.#page.evaluate(NAME_OF_FOCUSED))
  }

  /** Presses Tab until the focused element has this name. */
  async tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const passed: string[] = []
    if (!name.test(await this.focused())) await this.#hurryTowards(name, key)
    for (let step = 0; step < MAX_STEPS; step++) {
      const focused = await this.focused()
      if (name.test(focused)) return
      passed.push(focused.slice(0, 24).replaceAll('\n', ' '))
      await this.key(key)
    }
    throw new Error(`the keyboard cannot reach ${name}; it passed ${[...new Set(passed)].join(' | ')}`)
  }

  /** Holds the key down, which repeats it, because a look after every stop makes the browser draw a frame for each. */
  async #hurryTowards(name: RegExp, key: 'Tab' | 'Shift+Tab'): Promise<void> {
    const isBack = key === 'Shift+Tab'
    const stops = Number(await this.#page.evaluate(stopsBefore(name, isBack)))
    if (stops === 0) return
    const { keyboard } = this.#page
    if (isBack) await keyboard.down('Shift')
    await Promise.all(Array.from({ length: stops }, () => keyboard.down('Tab')))
    await keyboard.up('Tab')
    if (isBack) await keyboard.up('Shift')
  }

  async press(name: RegExp, key = 'Enter'): Promise<void> {
    await this.tabTo(name)
    await this.key(key)
  }

  /** Replaces the field's content. */
  async type(name: RegExp, text: string): Promise<void> {
    await this.tabTo(name)
    await this.key('Control+a')
    await this.#page.keyboard.insertText(text)
  }

  /** Presses keys one by one, for fields that react to each. */
  strike(text: string): Promise<void> {
    return this.#page.keyboard.type(text)
  }

  /** Moves through the options of a select until the wanted one is selected. */
  async choose(name: RegExp, option: RegExp): Promise<void> {
    await this.tabTo(name)
    await this.key('Home')
    for (let step = 0; step < MAX_STEPS; step++) {
      if (option.test(String(await this.#page.evaluate(CHOSEN_OPTION)))) return
      await this.key('ArrowDown')
    }
    throw new Error(`the arrows do not reach the option ${option}`)
  }

  /** Types into a combobox and accepts the suggestion. */
  async suggest(name: RegExp, text: string): Promise<void> {
    await this.tabTo(name)
    await this.key('Control+a')
    await this.strike(text)
    const suggestion = this.#page.getByRole('option', { name: text }).first()
    // If suggestions arrive after the last key, the list stays closed until opened.
    await suggestion.waitFor({ timeout: OPEN_MS }).catch(() => this.key('ArrowDown'))
    await suggestion.waitFor()
    for (let step = 0; step < MAX_STEPS; step++) {
      if (String(await this.#page.evaluate(MARKED_OPTION)) === text) return this.key('Enter')
      await this.key('ArrowDown')
    }
    throw new Error(`the arrows do not reach the suggestion ${text}`)
  }

  /** Moves from the focus along tabs, radio buttons or menu items. */
  async arrowTo(name: RegExp, key: 'ArrowDown' | 'ArrowRight'): Promise<void> {
    for (let step = 0; step < MAX_STEPS; step++) {
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

  /** Moves from the selected tab to another one. */
  async turnTo(from: RegExp, to: RegExp): Promise<void> {
    await this.tabTo(from)
    await this.arrowTo(to, 'ArrowRight')
  }

  /** Expects the focus to have returned, or the next key would have no effect. */
  async expectAt(name: RegExp): Promise<void> {
    // A closing dialog may have the same name as the button that opened it.
    const isThere = async () => name.test(await this.focused()) && !(await this.#page.evaluate(IS_IN_DIALOG))
    // On a timeout, the comparison below reports the difference.
    await eventually('the return of the focus', isThere, OPEN_MS).catch(() => undefined)
    expect(await this.focused()).toMatch(name)
  }
}
