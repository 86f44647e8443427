interface Event {
  readonly atMs: number
  /** Decides between events of the same moment: first come, first served. */
  readonly turn: number
  readonly happen: () => void
}

/** What will happen, soonest first: a binary heap. */
export class EventQueue {
  readonly #heap: Event[] = []
  #turn = 0

  add(atMs: number, happen: () => void): void {
    this.#heap.push({ atMs, turn: this.#turn++, happen })
    this.#rise(this.#heap.length - 1)
  }

  /** Lets everything happen, also what is added meanwhile. */
  run(tellTime: (nowMs: number) => void): void {
    for (let event = this.#take(); event !== undefined; event = this.#take()) {
      tellTime(event.atMs)
      event.happen()
    }
  }

  #take(): Event | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop()
    if (first === undefined || last === undefined || this.#heap.length === 0) return first
    this.#heap[0] = last
    this.#sink(0)
    return first
  }

  #rise(from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#isBefore(index, parent)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  #sink(from: number): void {
    let index = from
    for (;;) {
      let soonest = index
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < this.#heap.length && this.#isBefore(child, soonest)) soonest = child
      }
      if (soonest === index) return
      this.#swap(index, soonest)
      index = soonest
    }
  }

  #isBefore(index: number, other: number): boolean {
    const [one, two] = [this.#heap[index], this.#heap[other]]
    if (one === undefined || two === undefined) return false
    return one.atMs < two.atMs || (one.atMs === two.atMs && one.turn < two.turn)
  }

  #swap(index: number, other: number): void {
    const [one, two] = [this.#heap[index], this.#heap[other]]
    if (one === undefined || two === undefined) return
    this.#heap[index] = two
    this.#heap[other] = one
  }
}
