export interface BudgetLimits {
  readonly perHost: number
  readonly inAll: number
  /** How many may wait; more would only wait in vain. */
  readonly maxWaiting: number
}

interface Waiter {
  readonly host: string
  readonly amount: number
  readonly grant: () => void
}

/** No room, and too many wait for some already. */
export class BudgetFull extends Error {
  override readonly name = 'BudgetFull'
}

/**
 * An amount of something that all fetches share, with a part of it for each host at most. Who finds no room waits, in
 * the order of asking; those who wait for a busy host do not keep others from theirs.
 */
export class FetchBudget {
  readonly #limits: BudgetLimits
  readonly #usedByHost = new Map<string, number>()
  #waiters: Waiter[] = []
  #used = 0

  constructor(limits: BudgetLimits) {
    this.#limits = limits
  }

  /** Resolves with how to give it back. Rejects when the signal is aborted first, or with BudgetFull. */
  async take(host: string, amount: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const wanted = Math.min(amount, this.#limits.perHost, this.#limits.inAll)
    if (!this.#hasRoom(host, wanted)) await this.#wait(host, wanted, signal)
    else this.#use(host, wanted)
    return () => {
      this.#use(host, -wanted)
      this.#wake()
    }
  }

  #hasRoom(host: string, amount: number): boolean {
    const usedByHost = this.#usedByHost.get(host) ?? 0
    return usedByHost + amount <= this.#limits.perHost && this.#used + amount <= this.#limits.inAll
  }

  #use(host: string, amount: number): void {
    this.#used += amount
    const usedByHost = (this.#usedByHost.get(host) ?? 0) + amount
    if (usedByHost === 0) this.#usedByHost.delete(host)
    else this.#usedByHost.set(host, usedByHost)
  }

  async #wait(host: string, amount: number, signal: AbortSignal): Promise<void> {
    if (this.#waiters.length >= this.#limits.maxWaiting) throw new BudgetFull('too many fetches wait')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { host, amount, grant: resolve }
    const stop = () => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter)
      reject(signal.reason)
    }
    this.#waiters.push(waiter)
    signal.addEventListener('abort', stop)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** What is granted is used from here on, so that nobody else finds it free before the waiter runs. */
  #wake(): void {
    this.#waiters = this.#waiters.filter(({ host, amount, grant }) => {
      if (!this.#hasRoom(host, amount)) return true
      this.#use(host, amount)
      grant()
      return false
    })
  }
}
