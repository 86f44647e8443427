import type { JournalReading } from '../../src/manage/ports/ledger.ts'
import type { Storage } from '../../src/manage/ports/storage.ts'

const NO_JOURNAL: JournalReading = { settled: () => [], setAside: () => [] }

/** The first thing in the books that does not agree with the rest of them; null when everything does. */
export async function findDifference(
  storage: Pick<Storage, 'verifyLedger'>,
  journal: JournalReading = NO_JOURNAL,
): Promise<string | null> {
  return (await storage.verifyLedger(journal, { mayWait: false })).difference
}
