/** A server that was asked has said nothing for too long. Whether it has done what it was asked, nobody knows. */
export class ServerSilent extends Error {}

/**
 * How long somebody waits for a server in one go. A connection can stand and lead nowhere, as when the machine at its
 * other end has vanished: the system notices after a quarter of an hour, or never.
 */
export class Patience {
  readonly #limitMs: number
  readonly #onEnd: () => void
  readonly #end = Promise.withResolvers<never>()
  #questions = 0
  #timer: Timer | null = null
  #isEndless = false

  constructor(limitMs: number, onEnd: () => void) {
    this.#limitMs = limitMs
    this.#onEnd = onEnd
  }

  /** The same answer, or ServerSilent. */
  async guard<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return this.during(() => Promise.race([answer, this.#end.promise]))
  }

  /** The time in which a question is under way counts; each answer is a sign of life for all others. */
  async during<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#count(+1)
    try {
      return await ask()
    } finally {
      this.#count(-1)
    }
  }

  /** For what happens between two questions of whoever is guarded, and takes as long as it takes. */
  async pause<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#count(-1)
    try {
      return await work()
    } finally {
      this.#count(+1)
    }
  }

  /** From now on it never ends: what comes may take the server hours. */
  makeEndless(): void {
    this.#isEndless = true
    this.#count(0)
  }

  #count(change: number): void {
    this.#questions += change
    if (this.#timer !== null) clearTimeout(this.#timer)
    const isWaiting = this.#questions > 0 && !this.#isEndless
    this.#timer = isWaiting ? setTimeout(() => this.#giveUp(), this.#limitMs) : null
  }

  #giveUp(): void {
    this.#isEndless = true
    this.#onEnd()
    this.#end.reject(new ServerSilent('The database has not answered for too long.'))
  }
}
