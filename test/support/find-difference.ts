import type { JournalReading } from '../../src/manage/ports/ledger.ts'
import type { Storage } from '../../src/manage/ports/storage.ts'

const NO_JOURNAL: JournalReading = { settled: () => [], setAside: () => [] }

/** The first inconsistency of the ledger; null when there is none. */
export async function findDifference(
  storage: Pick<Storage, 'verifyLedger'>,
  journal: JournalReading = NO_JOURNAL,
): Promise<string | null> {
  return (await storage.verifyLedger(journal, { mayWait: false })).difference
}
