import type { AdmissionRecord } from '../../vocabulary/settlement.ts'

// An admission is written at the second look, before it is 5 ms old.
const LOOK_MS = 2

/** Admissions that are in no file yet. Those that settle quickly are never written. */
export class UnwrittenAdmissions {
  readonly #write: (records: readonly AdmissionRecord[]) => void
  /** Admissions since the last look, and those from before it. */
  #young = new Map<string, AdmissionRecord>()
  #old = new Map<string, AdmissionRecord>()
  #timer: Timer | null = null

  constructor(write: (records: readonly AdmissionRecord[]) => void) {
    this.#write = write
  }

  add(record: AdmissionRecord): void {
    this.#young.set(record.requestId, record)
    // Not cancelled when all are settled by then: a new timer costs more than the look.
    this.#timer ??= setTimeout(this.look, LOOK_MS)
  }

  remove(requestId: string): void {
    if (!this.#young.delete(requestId)) this.#old.delete(requestId)
  }

  /** Writes the admissions that were already here at the previous look. */
  readonly look = (): void => {
    const due = this.#old
    this.#old = this.#young
    this.#young = due
    this.#timer = this.#old.size > 0 ? setTimeout(this.look, LOOK_MS) : null
    if (due.size === 0) return
    const records = [...due.values()]
    due.clear()
    this.#write(records)
  }

  /** Writes all of them, the oldest first, and stops looking. */
  writeAll(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#write([...this.#old.values(), ...this.#young.values()])
    this.#old.clear()
    this.#young.clear()
  }
}
