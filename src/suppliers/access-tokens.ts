import type { Clock } from '../vocabulary/clock.ts'

export interface AccessToken {
  readonly token: string
  readonly expiresAtMs: number
}

interface KnownToken {
  readonly token: string
  readonly endsAtMs: number
}

// Tokens are renewed this long before they expire, so that none expires on the way to the supplier.
const MARGIN_MS = 120_000

/** Caches access tokens of credentials. Concurrent callers share one fetch. */
export class AccessTokens {
  readonly #clock: Clock
  readonly #elapsedMs: () => number
  /** Expiry uses the monotonic clock: a clock that was set back would keep expired tokens. */
  readonly #known = new Map<string, KnownToken>()
  readonly #fetching = new Map<string, Promise<AccessToken>>()

  constructor(clock: Clock, elapsedMs: () => number = clock.nowMs) {
    this.#clock = clock
    this.#elapsedMs = elapsedMs
  }

  /**
   * `name` tells one credential's token from another's and is never shown. It must hold the whole secret: a name made
   * of its public parts would hand one account's token to whoever can write those down.
   */
  get(name: string, fetchToken: () => Promise<AccessToken>): string | Promise<string> {
    const known = this.#known.get(name)
    if (known !== undefined && this.#leftMs(known) > MARGIN_MS) return known.token
    return this.#wait(name, fetchToken)
  }

  async #wait(name: string, fetchToken: () => Promise<AccessToken>): Promise<string> {
    try {
      return (await (this.#fetching.get(name) ?? this.#start(name, fetchToken))).token
    } catch (error) {
      // The margin is also the time in which a place that gives out tokens may be out of order.
      const known = this.#known.get(name)
      if (known !== undefined && this.#leftMs(known) > 0) return known.token
      throw error
    }
  }

  #start(name: string, fetchToken: () => Promise<AccessToken>): Promise<AccessToken> {
    const underWay = this.#fetch(name, fetchToken).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, underWay)
    return underWay
  }

  async #fetch(name: string, fetchToken: () => Promise<AccessToken>): Promise<AccessToken> {
    const fetched = await fetchToken()
    this.#forgetEnded()
    const leftMs = fetched.expiresAtMs - this.#clock.nowMs()
    this.#known.set(name, { token: fetched.token, endsAtMs: this.#elapsedMs() + leftMs })
    return fetched
  }

  // Those of credentials that were taken away are never asked for again.
  #forgetEnded(): void {
    for (const [name, token] of this.#known) if (this.#leftMs(token) <= 0) this.#known.delete(name)
  }

  #leftMs({ endsAtMs }: KnownToken): number {
    return endsAtMs - this.#elapsedMs()
  }
}
