import type { SQL } from 'bun'
import { Patience } from './server-patience.ts'

// Longer than any statement takes that somebody waits for, and than anybody waits for a lock.
const SILENCE_MS = 60_000
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
  readonly #silenceMs: number
  #pool: SQL

  constructor(connect: () => SQL, silenceMs = SILENCE_MS) {
    this.#connect = connect
    this.#silenceMs = silenceMs
    this.#pool = connect()
  }

  /** For one piece of work. */
  open(): Line {
    const pool = this.#pool
    return { pool, patience: new Patience(this.#silenceMs, () => this.#replace(pool)) }
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
