import type { Browser } from 'playwright-core'
import { DESKTOP, type Visit, visit } from './browser.ts'

/**
 * Reuses one browser context for visitors one after the other: a new context has to load and compile everything again,
 * which takes as long as five pages. The next visitor finds only the cached files of the previous one.
 */
export class VisitorPool {
  readonly #browser: Browser
  readonly #url: string
  readonly #idle: Visit[] = []

  constructor(browser: Browser, url: string) {
    this.#browser = browser
    this.#url = url
  }

  async admit(): Promise<Visit> {
    const seat = this.#idle.pop() ?? (await visit(this.#browser, this.#url))
    seat.problems.length = 0
    return { ...seat, end: () => this.#clear(seat) }
  }

  async #clear(seat: Visit): Promise<void> {
    const { page } = seat
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // A running page could store something again, so move to an inert page of the same origin.
    await page.goto(`${this.#url}/healthz`)
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.context().clearCookies()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(DESKTOP)
    this.#idle.push(seat)
  }
}
