/** What is true of the whole limits store. */
export interface LimitsFacts {
  readonly generation: string | null
  readonly configurationVersion: number | null
}

/**
 * The facts of a limits store whose scripts cannot read them, because in a Cluster they stand on another server. Each reader
 * gets what was read after it asked; all who ask while a question is under way share the next one.
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
