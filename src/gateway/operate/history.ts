import type { Operations } from '../ports/operations.ts'
import type { OperationParts } from './parts.ts'
import { requireFound } from './refuse.ts'

type HistoryOperations = Pick<Operations, 'listSettlements' | 'findSettlement' | 'listAuditEvents'>

/** Whoever looks finds every request that has been answered: the journal is emptied into the storage first. */
export function historyOperations({ storage, catchUp }: OperationParts): HistoryOperations {
  return {
    listSettlements: async (filter, page) => {
      await catchUp()
      return storage.listSettlements(filter, page)
    },
    findSettlement: async (requestId) => {
      await catchUp()
      return requireFound(await storage.findSettlement(requestId), 'settlement', requestId)
    },
    listAuditEvents: (page) => storage.listAuditEvents(page),
  }
}
