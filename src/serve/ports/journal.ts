import type { AdmissionRecord, Settlement } from '../../vocabulary/settlement.ts'

/**
 * The local, durable account of what was admitted and settled. What is in the journal will reach the database,
 * whatever happens to this process in between.
 */
export interface Journal {
  /** Records an admission. It reaches the disk within milliseconds; the request does not wait for it. */
  open(record: AdmissionRecord): void
  /**
   * null when the settlement is in the journal file, else a promise of that: only then may the answer's last byte leave.
   * When it rejects, the settlement was written nowhere and is forgotten.
   */
  settle(settlement: Settlement): Promise<void> | null
  /** Keeps a settlement that could not be written in memory until the disk or the database takes it. No request waits for it. */
  owe(settlement: Settlement): void
  /** Why nothing more may be admitted, in one sentence for clients; null while there is room. Cheap enough for every request. */
  refusal(): string | null
}
