import type { AdmissionRecord } from '../../vocabulary/settlement.ts'

/** Tracks the files with admissions that have no settlement in a file yet. These files must stay. */
export class OpenAdmissions {
  readonly #segments = new Map<string, number>()
  readonly #counts = new Map<number, number>()

  get size(): number {
    return this.#segments.size
  }

  note(requestId: string, segment: number): void {
    this.#segments.set(requestId, segment)
    this.#counts.set(segment, (this.#counts.get(segment) ?? 0) + 1)
  }

  forget(requestId: string): void {
    const segment = this.#segments.get(requestId)
    if (segment === undefined) return
    this.#segments.delete(requestId)
    const left = (this.#counts.get(segment) ?? 0) - 1
    if (left > 0) this.#counts.set(segment, left)
    else this.#counts.delete(segment)
  }

  areIn(segment: number): boolean {
    return this.#counts.has(segment)
  }
}

/** Admissions that are in no file yet. Those that settle quickly need not be written at all. */
export class UnwrittenAdmissions {
  #young = new Map<string, AdmissionRecord>()
  #old = new Map<string, AdmissionRecord>()

  get isEmpty(): boolean {
    return this.#young.size === 0 && this.#old.size === 0
  }

  add(record: AdmissionRecord): void {
    this.#young.set(record.requestId, record)
  }

  remove(requestId: string): void {
    if (!this.#young.delete(requestId)) this.#old.delete(requestId)
  }

  /** Takes the admissions that were already here at the previous call. */
  takeOld(): AdmissionRecord[] {
    const old = this.#old
    this.#old = this.#young
    this.#young = old
    return takeFrom(old)
  }

  takeAll(): AdmissionRecord[] {
    return [...takeFrom(this.#old), ...takeFrom(this.#young)]
  }
}

function takeFrom(records: Map<string, AdmissionRecord>): AdmissionRecord[] {
  const taken = [...records.values()]
  records.clear()
  return taken
}
