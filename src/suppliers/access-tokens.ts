import type { Clock } from '../vocabulary/clock.ts'

export interface AccessToken {
  readonly token: string
  readonly expiresAtMs: number
}

// Fetched anew this long before its end, so that none ends on its way to the supplier.
const MARGIN_MS = 120_000

/** Tokens that were exchanged for a credential and are good for a while. One fetch serves all who wait for it. */
export class AccessTokens {
  readonly #clock: Clock
  readonly #known = new Map<string, AccessToken>()
  readonly #fetching = new Map<string, Promise<AccessToken>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `name` tells one credential's token from another's; it is never shown. */
  get(name: string, fetchToken: () => Promise<AccessToken>): string | Promise<string> {
    const known = this.#known.get(name)
    if (known !== undefined && known.expiresAtMs - MARGIN_MS > this.#clock.nowMs()) return known.token
    return this.#fetch(name, fetchToken)
  }

  async #fetch(name: string, fetchToken: () => Promise<AccessToken>): Promise<string> {
    const underWay = this.#fetching.get(name) ?? fetchToken().finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, underWay)
    const fetched = await underWay
    this.#known.set(name, fetched)
    return fetched.token
  }
}
