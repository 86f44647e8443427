import type { Browser } from 'playwright-core'
import { DESKTOP, type Visit, visit } from './browser.ts'

/**
 * Visitors of one console, one after the other in the same context: a new one has to load and compile everything again,
 * which takes as much work as five pages. Whoever comes next finds nothing of the one before but the cached files.
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
    seat.complaints.length = 0
    return { ...seat, end: () => this.#clear(seat) }
  }

  async #clear(seat: Visit): Promise<void> {
    const { page } = seat
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // A page that is still at work could keep something anew; this one does nothing, at the same origin.
    await page.goto(`${this.#url}/healthz`)
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.context().clearCookies()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(DESKTOP)
    this.#idle.push(seat)
  }
}
