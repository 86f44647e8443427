import type { Operations } from '../ports/operations.ts'
import type { OperationParts } from './parts.ts'
import { requireFound } from './refuse.ts'

type HistoryOperations = Pick<Operations, 'listSettlements' | 'findSettlement' | 'listAuditEvents'>

export function historyOperations({ storage }: OperationParts): HistoryOperations {
  return {
    listSettlements: (filter, page) => storage.listSettlements(filter, page),
    findSettlement: async (requestId) =>
      requireFound(await storage.findSettlement(requestId), 'settlement', requestId),
    listAuditEvents: (page) => storage.listAuditEvents(page),
  }
}
