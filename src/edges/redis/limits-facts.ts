/** State of the limits store as a whole. */
export interface LimitsFacts {
  readonly generation: string | null
  readonly configurationVersion: number | null
}

/**
 * Reads the facts for scripts that cannot, because in a Cluster they are on another server. Each caller gets facts read
 * after its call; callers that arrive while a read is under way share the next one.
 */
export class LimitsFactsReader {
  readonly #load: () => Promise<LimitsFacts>
  #underWay: Promise<LimitsFacts> | null = null
  #next: Promise<LimitsFacts> | null = null

  constructor(load: () => Promise<LimitsFacts>) {
    this.#load = load
  }

  read(): Promise<LimitsFacts> {
    if (this.#underWay === null) return this.#ask()
    const askNext = () => {
      this.#next = null
      return this.#ask()
    }
    this.#next ??= this.#underWay.then(askNext, askNext)
    return this.#next
  }

  #ask(): Promise<LimitsFacts> {
    const asked = this.#load()
    const forget = () => {
      if (this.#underWay === asked) this.#underWay = null
    }
    asked.then(forget, forget)
    this.#underWay = asked
    return asked
  }
}
