import type { UsageView } from '../../vocabulary/settlement.ts'
import type { BookOperations, JournalReading, UsagePoint } from '../ports/books.ts'
import type { OperationParts } from './parts.ts'

type UsageOperations = Pick<BookOperations, 'listUsage' | 'verifyLedger'>

const NO_JOURNAL: JournalReading = { settled: () => [], setAside: () => [] }

export function usageOperations({ storage, catchUp, readJournal }: OperationParts): UsageOperations {
  return {
    listUsage: async (question, page) => {
      await catchUp()
      const { data, nextCursor } = await storage.listUsage(question, page)
      return { data: data.map(viewUsage), nextCursor }
    },
    verifyLedger: async () => {
      // Before the journal is emptied: whatever it says now must be in the database afterwards.
      const journal = readJournal?.() ?? NO_JOURNAL
      await catchUp()
      return storage.verifyLedger(journal, { mayWait: false })
    },
  }
}

function viewUsage({ startMs, group, figures }: UsagePoint): UsageView {
  const { accountId, keyId, model, supplier } = group
  const { completed, clientLeft, supplierFailed, refused, interrupted } = figures
  return {
    ...figures,
    ...{ startMs, accountId, keyId, model, supplier },
    requests: completed + clientLeft + supplierFailed + refused + interrupted,
    outcomes: figures,
    usage: figures,
  }
}
