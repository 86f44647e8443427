/** Tells how long released connections have rested. Tests pass their own and turn it by hand. */
export interface Rest {
  /** How many turns have passed; a connection is released in one and reused in a later one. */
  readonly turn: number
  /** Keeps turning at least until this turn. */
  turnUntil(turn: number): void
}

// Longer rests keep more connections in turn, which costs a busy process more than it gains: see decision 0011.
const TURN_MS = 2

/**
 * Turns a few milliseconds apart, for as long as a connection rests.
 *
 * A clock alone would not do: a process that was busy for some milliseconds has bytes waiting in its sockets that it
 * has not looked at. Between two firings of a timer the runtime looks at all of them.
 */
export class RestTurns implements Rest {
  turn = 0
  #lastTurn = 0
  #isTurning = false
  #timer: Timer | null = null

  turnUntil(turn: number): void {
    if (turn > this.#lastTurn) this.#lastTurn = turn
    if (this.#isTurning) return
    this.#isTurning = true
    if (this.#timer === null) this.#timer = setTimeout(() => this.#pass(), TURN_MS).unref()
    else this.#timer.refresh()
  }

  #pass(): void {
    this.turn += 1
    this.#isTurning = this.turn < this.#lastTurn
    if (this.#isTurning) this.#timer?.refresh()
  }
}
