import type { BookOperations, JournalReading } from '../ports/books.ts'
import type { OperationParts } from './parts.ts'

type UsageOperations = Pick<BookOperations, 'listUsage' | 'verifyLedger'>

const NO_JOURNAL: JournalReading = { settled: () => [], setAside: () => [] }

export function usageOperations({ storage, catchUp, readJournal }: OperationParts): UsageOperations {
  return {
    listUsage: async (question, page) => {
      await catchUp()
      return storage.listUsage(question, page)
    },
    verifyLedger: async () => {
      // Before the journal is emptied: whatever it says now must be in the database afterwards.
      const journal = readJournal?.() ?? NO_JOURNAL
      await catchUp()
      return storage.verifyLedger(journal, { mayWait: false })
    },
  }
}
