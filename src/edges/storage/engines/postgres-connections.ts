import type { SQL } from 'bun'
import { SYSTEM_TIMERS, type Timers } from '../../../vocabulary/clock.ts'

// Longer than any statement takes that somebody waits for, and than anybody waits for a lock.
export const SILENCE_MS = 60_000
// What goes on over connections that were replaced may end within this time.
const GRACE_SECONDS = 60

/** A pool as long as it is in use, and how long whoever uses it waits for an answer. */
export interface Line {
  readonly pool: SQL
  readonly patience: Patience
}

/**
 * Connections to one server. As soon as one of them gives no answer, new ones take the place of all: an address may
 * lead to another machine by now, and the old connections nowhere.
 */
export class Connections {
  readonly #connect: () => SQL
  readonly #timers: Timers
  #pool: SQL

  constructor(connect: () => SQL, timers = SYSTEM_TIMERS) {
    this.#connect = connect
    this.#timers = timers
    this.#pool = connect()
  }

  /** For one piece of work. */
  open(): Line {
    const pool = this.#pool
    return { pool, patience: new Patience(this.#timers, () => this.#replace(pool)) }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #replace(silent: SQL): void {
    // Others may have waited as long for the same pool.
    if (silent !== this.#pool) return
    this.#pool = this.#connect()
    silent.close({ timeout: GRACE_SECONDS }).catch(() => undefined)
  }
}

/** A server that was asked has said nothing for too long. Whether it has done what it was asked, nobody knows. */
export class ServerSilent extends Error {}

/**
 * How long somebody waits for a server in one go. A connection can stand and lead nowhere, as when the machine at its
 * other end has vanished: the system notices after a quarter of an hour, or never.
 */
export class Patience {
  readonly #timers: Timers
  readonly #onEnd: () => void
  readonly #end = Promise.withResolvers<never>()
  #questions = 0
  #stopTimer: (() => void) | null = null
  #isEndless = false

  constructor(timers: Timers, onEnd: () => void) {
    this.#timers = timers
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
    this.#stopTimer?.()
    const isWaiting = this.#questions > 0 && !this.#isEndless
    this.#stopTimer = isWaiting ? this.#timers.after(SILENCE_MS, () => this.#giveUp()) : null
  }

  #giveUp(): void {
    this.#isEndless = true
    this.#onEnd()
    this.#end.reject(new ServerSilent('The database has not answered for too long.'))
  }
}
