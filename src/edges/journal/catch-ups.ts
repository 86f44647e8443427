interface CatchUp {
  /** How many settlements in files are still to be stored. */
  left: number
  /** Whether storing had begun before, so that its failure is not the last word. */
  hasJoined: boolean
  readonly ended: PromiseWithResolvers<void>
}

/**
 * Those who wait until what was in the journal when they came is stored. Later settlements do not keep them waiting:
 * under load there is always another one.
 */
export class CatchUps {
  #waiting: CatchUp[] = []

  get count(): number {
    return this.#waiting.length
  }

  /** Resolves when so many more settlements are stored, or cannot be for now. */
  add({ left, hasJoined }: Pick<CatchUp, 'left' | 'hasJoined'>): Promise<void> {
    const ended = Promise.withResolvers<void>()
    this.#waiting.push({ left, hasJoined, ended })
    return ended.promise
  }

  /** Nobody's wait ends while settlements that are in no file are left, because those come first. */
  noteStored(count: number, mayEnd: boolean): void {
    for (const each of this.#waiting) each.left -= count
    if (mayEnd) this.#end(({ left }) => left <= 0)
  }

  /** Storing has failed. Those who came while it was under way are owed an attempt of their own. */
  noteFailed(): void {
    this.#end(({ hasJoined }) => !hasJoined)
    for (const each of this.#waiting) each.hasJoined = false
  }

  endAll(): void {
    this.#end(() => true)
  }

  #end(isOver: (catchUp: CatchUp) => boolean): void {
    if (this.#waiting.length === 0) return
    const byEnd = Map.groupBy(this.#waiting, isOver)
    this.#waiting = byEnd.get(false) ?? []
    for (const { ended } of byEnd.get(true) ?? []) ended.resolve()
  }
}
