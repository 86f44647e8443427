/** What is true of the whole desk. */
export interface DeskFacts {
  readonly generation: string | null
  readonly configurationVersion: number | null
}

/**
 * The facts of a desk whose scripts cannot read them, because in a Cluster they stand on another server. Each reader
 * gets what was read after it asked; all who ask while a question is under way share the next one.
 */
export class DeskWitness {
  readonly #load: () => Promise<DeskFacts>
  #underWay: Promise<DeskFacts> | null = null
  #next: Promise<DeskFacts> | null = null

  constructor(load: () => Promise<DeskFacts>) {
    this.#load = load
  }

  read(): Promise<DeskFacts> {
    if (this.#underWay === null) return this.#ask()
    const askNext = () => {
      this.#next = null
      return this.#ask()
    }
    this.#next ??= this.#underWay.then(askNext, askNext)
    return this.#next
  }

  #ask(): Promise<DeskFacts> {
    const asked = this.#load()
    const forget = () => {
      if (this.#underWay === asked) this.#underWay = null
    }
    asked.then(forget, forget)
    this.#underWay = asked
    return asked
  }
}
