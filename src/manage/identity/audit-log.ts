import type { Clock } from '../../vocabulary/clock.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'

const MINUTE_MS = 60_000
const MOST_FAILURES_PER_MINUTE = 60

export interface AuditEntry {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly before?: object
  readonly after?: object
}

/** Writes down who did what. What strangers can cause at will is bounded, or they would fill the database. */
export class AuditLog {
  readonly #clock: Clock
  readonly #newId: (prefix: string) => string
  #written = 0
  #minute = 0
  #failuresInMinute = 0

  constructor(clock: Clock, newId: (prefix: string) => string) {
    this.#clock = clock
    this.#newId = newId
  }

  event({ actor, action, subject, before, after }: AuditEntry): AuditEvent {
    this.#written += 1
    return {
      // Events of one millisecond are listed by id, so the id says which came first.
      id: this.#newId(`aud_${String(this.#written).padStart(10, '0')}`),
      atMs: this.#clock.nowMs(),
      actor,
      action,
      subject,
      before: before ?? null,
      after: after ?? null,
    }
  }

  /** Whether the so-manieth failure in a row is worth a line: the first, the second, the fourth, the eighth, … */
  shouldRecordFailure(attempts: number): boolean {
    const minute = Math.floor(this.#clock.nowMs() / MINUTE_MS)
    if (minute !== this.#minute) [this.#minute, this.#failuresInMinute] = [minute, 0]
    if (!Number.isInteger(Math.log2(attempts)) || this.#failuresInMinute >= MOST_FAILURES_PER_MINUTE) {
      return false
    }
    this.#failuresInMinute += 1
    return true
  }
}
