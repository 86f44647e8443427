import type { Clock } from '../../vocabulary/clock.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'

const MINUTE_MS = 60_000
const MAX_FAILURES_PER_MINUTE = 60

export interface AuditEntry {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly before?: object
  readonly after?: object
}

/** Creates audit events. Events that anonymous callers can cause are rate limited, so that they cannot fill the database. */
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
      // Events of the same millisecond are sorted by id, so ids are sequential.
      id: this.#newId(`aud_${String(this.#written).padStart(10, '0')}`),
      atMs: this.#clock.nowMs(),
      actor,
      action,
      subject,
      before: before ?? null,
      after: after ?? null,
    }
  }

  /** Whether to record this failure: the first, second, fourth, eighth, … in a row. */
  shouldRecordFailure(attempts: number): boolean {
    const minute = Math.floor(this.#clock.nowMs() / MINUTE_MS)
    if (minute !== this.#minute) [this.#minute, this.#failuresInMinute] = [minute, 0]
    if (!Number.isInteger(Math.log2(attempts)) || this.#failuresInMinute >= MAX_FAILURES_PER_MINUTE) {
      return false
    }
    this.#failuresInMinute += 1
    return true
  }
}
