import type { BookStore } from '../../gateway/ports/books.ts'
import type { Database } from './database.ts'
import { readLedger, readSettlements } from './tables/exports.ts'
import { carrySettlements, moveHorizon } from './tables/retention.ts'
import { listUsage } from './tables/usage-list.ts'
import { verifyLedger } from './tables/verify-ledger.ts'

/** The books as they are looked at from outside. */
export function bookStorageOn(database: Database): BookStore {
  return {
    listUsage: async (question, page) => listUsage(database, question, page),
    readSettlements: async (filter, page) => readSettlements(database, filter, page),
    readLedger: async (filter, page) => readLedger(database, filter, page),
    moveHorizon: (goneBeforeMs, event) => moveHorizon(database, goneBeforeMs, event),
    carrySettlements: (atMost) => carrySettlements(database, atMost),
    verifyLedger: (journal, options) => verifyLedger(database, journal, options),
  }
}
