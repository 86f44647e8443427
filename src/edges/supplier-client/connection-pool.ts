import type { Connection } from './connection.ts'
import type { Origin } from './origin.ts'
import type { Rest } from './rest.ts'

const MAX_IDLE = 256

/**
 * The connections to one origin that carry one credential: what went wrong on a connection can then only ever reach
 * whoever shares that credential.
 *
 * A released connection rests before it is used again. Bytes that come in the meantime belong to no request, and end
 * it; without the rest they would be taken for the answer to the next one.
 */
export class ConnectionPool {
  readonly origin: Origin
  readonly #rest: Rest
  /** In the order of their release. */
  readonly #resting: Connection[] = []
  /** The one used last is at the end: it is the least likely to be closed by now. */
  readonly #rested: Connection[] = []
  #wokenAtTurn = Number.NEGATIVE_INFINITY
  /** All that are open, used or not. */
  openCount = 0

  constructor(origin: Origin, rest: Rest) {
    this.origin = origin
    this.#rest = rest
  }

  /** A connection that has rested; null when there is none. */
  take(): Connection | null {
    this.#wakeRested()
    const connection = this.#rested.pop()
    if (connection === undefined) return null
    connection.isIdle = false
    return connection
  }

  /** False when it cannot be kept: there are enough of them, or the origin has lost its trust. */
  keep(connection: Connection): boolean {
    if (this.idleCount >= MAX_IDLE || !this.origin.isTrustedAt(connection.idleSinceMs)) return false
    connection.isIdle = true
    connection.restsUntilTurn = this.#rest.turn + this.origin.restTurns
    this.#rest.turnUntil(connection.restsUntilTurn)
    this.#resting.push(connection)
    return true
  }

  forget(connection: Connection): void {
    this.openCount -= 1
    if (!connection.isIdle) return
    connection.isIdle = false
    for (const list of [this.#rested, this.#resting]) {
      const place = list.indexOf(connection)
      if (place >= 0) list.splice(place, 1)
    }
  }

  /** Closes those that nobody has used since. */
  closeIdleSince(atMs: number): void {
    const idle = [...this.#rested, ...this.#resting]
    for (const connection of idle) if (connection.idleSinceMs <= atMs) connection.close()
  }

  get idleCount(): number {
    return this.#resting.length + this.#rested.length
  }

  #wakeRested(): void {
    const { turn } = this.#rest
    // Every rest takes at least a turn, so within one there is nothing to look for twice.
    if (turn === this.#wokenAtTurn) return
    this.#wokenAtTurn = turn
    let count = 0
    while ((this.#resting[count]?.restsUntilTurn ?? Number.POSITIVE_INFINITY) <= turn) count += 1
    if (count === 0) return
    this.#rested.push(...this.#resting.splice(0, count))
    this.origin.noteCleanRests(count)
  }
}
