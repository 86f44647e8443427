import type { Connection } from './connection.ts'

const MAX_IDLE = 256

/**
 * The connections to one origin with one credential, so that a mixed-up answer can only reach requests of the same
 * credential.
 *
 * A released connection rests before it is reused. Bytes that arrive meanwhile belong to no request and close it;
 * without the rest they would be taken for the answer to the next request.
 */
export class ConnectionPool {
  readonly origin: Origin
  readonly #rest: Rest
  /** In the order of their release. */
  readonly #resting: Connection[] = []
  /** Most recently used last: that one is the least likely to be closed by now. */
  readonly #rested: Connection[] = []
  #wokenAtTurn = Number.NEGATIVE_INFINITY
  /** All open connections, in use or not. */
  openCount = 0

  constructor(origin: Origin, rest: Rest) {
    this.origin = origin
    this.#rest = rest
  }

  /** A rested connection; null when there is none. */
  take(): Connection | null {
    const { turn } = this.#rest
    // Every rest takes at least a turn, so once per turn is enough.
    if (turn !== this.#wokenAtTurn) {
      this.#wokenAtTurn = turn
      let count = 0
      while ((this.#resting[count]?.restsUntilTurn ?? Number.POSITIVE_INFINITY) <= turn) count += 1
      if (count > 0) {
        this.#rested.push(...this.#resting.splice(0, count))
        this.origin.noteCleanRests(count)
      }
    }
    const connection = this.#rested.pop()
    if (connection === undefined) return null
    connection.isIdle = false
    return connection
  }

  /** False when the pool is full or the origin is distrusted. */
  keep(connection: Connection): boolean {
    const { origin } = this
    const isFull = this.#resting.length + this.#rested.length >= MAX_IDLE
    if (isFull || connection.idleSinceMs < origin.distrustedUntilMs) return false
    connection.isIdle = true
    connection.restsUntilTurn = this.#rest.turn + origin.restTurns
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

  /** Closes connections that have been idle since then. */
  closeIdleSince(atMs: number): void {
    const idle = [...this.#rested, ...this.#resting]
    for (const connection of idle) if (connection.idleSinceMs <= atMs) connection.close()
  }
}

// Two turns guarantee one whole turn, whenever the rest began.
const REST_TURNS = 2
// Longer for an unknown supplier: if it sends stray bytes, they show before a connection is reused.
const FIRST_REST_TURNS = 50
const PROVEN_AFTER_RESTS = 64

// A supplier that sent stray bytes gets a new connection for each call.
const DISTRUST_MS = 10 * 60_000

/** A host and port, with its connection pools by credential. */
export class Origin {
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
  readonly #rest: Rest
  readonly #pools = new Map<string, ConnectionPool>()
  #cleanRests = 0
  /** How many turns a released connection rests. */
  restTurns = FIRST_REST_TURNS
  /** Until then, no connection is kept. */
  distrustedUntilMs = Number.NEGATIVE_INFINITY

  constructor({ hostname, port, protocol }: URL, rest: Rest) {
    this.isSecure = protocol === 'https:'
    this.hostname = hostname.replace(/^\[|\]$/g, '')
    this.port = Number(port || (this.isSecure ? 443 : 80))
    this.#rest = rest
  }

  poolFor(credentialId: string): ConnectionPool {
    const known = this.#pools.get(credentialId)
    if (known !== undefined) return known
    const pool = new ConnectionPool(this, this.#rest)
    this.#pools.set(credentialId, pool)
    return pool
  }

  noteCleanRests(count: number): void {
    this.#cleanRests += count
    if (this.#cleanRests >= PROVEN_AFTER_RESTS) this.restTurns = REST_TURNS
  }

  /** The origin sent bytes that belong to no request: its connections are not reused for a while. */
  distrust(nowMs: number): void {
    this.#cleanRests = 0
    this.restTurns = FIRST_REST_TURNS
    this.distrustedUntilMs = nowMs + DISTRUST_MS
    for (const pool of this.#pools.values()) pool.closeIdleSince(Number.POSITIVE_INFINITY)
  }

  /** Closes connections that have been idle since then, and removes empty pools. */
  closeIdleSince(atMs: number): void {
    for (const [credentialId, pool] of this.#pools) {
      pool.closeIdleSince(atMs)
      if (pool.openCount === 0) this.#pools.delete(credentialId)
    }
  }

  get hasPools(): boolean {
    return this.#pools.size > 0
  }
}

/** Measures how long released connections have rested. Tests pass their own and advance it by hand. */
export interface Rest {
  /** The number of turns so far. */
  readonly turn: number
  /** Keeps turning at least until this turn. */
  turnUntil(turn: number): void
}

// Longer rests need more connections, which costs a busy process more than it gains: see decision 0011.
const TURN_MS = 2

/**
 * Turns a few milliseconds apart, for as long as a connection rests.
 *
 * A clock alone is not enough: after some busy milliseconds, the sockets may hold bytes that the process has not read.
 * Between two firings of a timer the runtime reads all sockets.
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
    if (this.#timer === null) this.#timer = setTimeout(this.#pass, TURN_MS).unref()
    else this.#timer.refresh()
  }

  readonly #pass = (): void => {
    this.turn += 1
    this.#isTurning = this.turn < this.#lastTurn
    if (this.#isTurning) this.#timer?.refresh()
  }
}
