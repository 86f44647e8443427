export interface BudgetLimits {
  readonly perHost: number
  readonly inAll: number
  /** How many may wait at a time. */
  readonly maxWaiting: number
}

interface Waiter {
  readonly host: string
  readonly amount: number
  readonly grant: () => void
}

/** There is no room, and the queue is full. */
export class BudgetFull extends Error {
  override readonly name = 'BudgetFull'
}

/**
 * A budget that all fetches share, with a limit per host. Fetches wait in order for room; those that wait for a busy
 * host do not block others.
 */
export class FetchBudget {
  readonly #limits: BudgetLimits
  readonly #usedByHost = new Map<string, number>()
  #waiters: Waiter[] = []
  #used = 0

  constructor(limits: BudgetLimits) {
    this.#limits = limits
  }

  /** Resolves with a function that gives the amount back. Rejects when aborted, or with BudgetFull. */
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

  /** Counts granted room at once, so that no other fetch takes it before the waiter runs. */
  #wake(): void {
    this.#waiters = this.#waiters.filter(({ host, amount, grant }) => {
      if (!this.#hasRoom(host, amount)) return true
      this.#use(host, amount)
      grant()
      return false
    })
  }
}
