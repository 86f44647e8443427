import type { AdmissionRecord } from '../../vocabulary/settlement.ts'

/** Admissions that no file holds yet. Those that are settled before they grow old need not be written at all. */
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

  /** Those that were here when this was last asked for. */
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
