import type { Recorded, Storage } from '../../gateway/ports/storage.ts'
import type { AuditEvent } from '../../vocabulary/audit-event.ts'
import type { ChangeBook } from './change-book.ts'
import type { Database } from './database.ts'
import { loadAccounts } from './tables/accounts/accounts.ts'
import { findLastRunMs, loadTierDoubts, saveLastRunMs, takeTierStep } from './tables/accounts/tiers.ts'
import { listLedger } from './tables/money/ledger-list.ts'
import {
  listPayments,
  recordAdjustment,
  recordPaymentsOrNone,
  recordRefund,
} from './tables/money/payments.ts'
import { writeAuditEvent } from './tables/supply/audit-events.ts'

type MoneyStorage = Pick<
  Storage,
  'recordPayment' | 'recordPayments' | 'recordAdjustment' | 'recordRefund' | 'listPayments' | 'listLedger'
>

/** What accounts pay, get back and are corrected by. */
export function moneyStorageOn(database: Database, changes: ChangeBook): MoneyStorage {
  return {
    recordPayment: async (payment, event) => {
      const [recorded] = await recordPaymentsOrNone(changes, [{ payment, event }])
      if (recorded === undefined) throw new Error('A payment was offered and nothing came of it.')
      return { payment: recorded.record, isNew: recorded.isNew }
    },
    recordPayments: (offers) => recordPaymentsOrNone(changes, offers),
    recordAdjustment: (adjustment, event) =>
      recordOnce(changes, event, (tx) => recordAdjustment(tx, adjustment)),
    recordRefund: (refund, event) => recordOnce(changes, event, (tx) => recordRefund(tx, refund)),
    listPayments: async (accountId, page) => listPayments(database, accountId, page),
    listLedger: async (accountId, page) => listLedger(database, accountId, page),
  }
}

/** What is there already is no change and has been told. */
function recordOnce<T>(
  changes: ChangeBook,
  event: AuditEvent,
  record: (tx: Database) => Promise<Recorded<T>>,
): Promise<Recorded<T>> {
  return changes.writeIf(async (tx) => {
    const recorded = await record(tx)
    if (recorded.isNew) await writeAuditEvent(tx, event)
    return { result: recorded, isChange: recorded.isNew }
  })
}

type TierStorage = Pick<
  Storage,
  'loadAccounts' | 'loadTierDoubts' | 'takeTierStep' | 'unlessRunning' | 'findLastRunMs' | 'saveLastRunMs'
>

/** What evaluations of tiers read and change, and when they last ran. */
export function tierStorageOn(database: Database, changes: ChangeBook): TierStorage {
  return {
    loadAccounts: () => loadAccounts(database),
    loadTierDoubts: () => loadTierDoubts(database),
    takeTierStep: (step, event) =>
      changes.writeIf(async (tx) => {
        const isTaken = await takeTierStep(tx, step)
        if (isTaken) await writeAuditEvent(tx, event)
        return { result: isTaken, isChange: isTaken }
      }),
    unlessRunning: (name, work) => database.unlessRunning(name, work),
    findLastRunMs: (jobName) => findLastRunMs(database, jobName),
    saveLastRunMs: (jobName, atMs) => saveLastRunMs(database, jobName, atMs),
  }
}
