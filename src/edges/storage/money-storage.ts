import type { Storage } from '../../gateway/ports/storage.ts'
import type { Database } from './database.ts'
import { loadAccounts } from './tables/accounts.ts'
import { writeAuditEvent } from './tables/audit-events.ts'
import { listLedger } from './tables/ledger-list.ts'
import { listPayments, recordAdjustment, recordPaymentsOrNone } from './tables/payments.ts'
import { recordRefund } from './tables/refunds.ts'
import { findLastRunMs, saveLastRunMs } from './tables/scheduled-jobs.ts'
import { loadTierDoubts, takeTierStep } from './tables/tiers.ts'

type MoneyStorage = Pick<
  Storage,
  'recordPayment' | 'recordPayments' | 'recordAdjustment' | 'recordRefund' | 'listPayments' | 'listLedger'
>

/** What accounts pay, get back and are corrected by. */
export function moneyStorageOn(database: Database): MoneyStorage {
  return {
    recordPayment: async (payment, event) => {
      const [recorded] = await recordPaymentsOrNone(database, [{ payment, event }])
      if (recorded === undefined) throw new Error('A payment was offered and nothing came of it.')
      return { payment: recorded.record, isNew: recorded.isNew }
    },
    recordPayments: (offers) => recordPaymentsOrNone(database, offers),
    recordAdjustment: (adjustment, event) =>
      database.transaction(async (tx) => {
        await recordAdjustment(tx, adjustment)
        await writeAuditEvent(tx, event)
      }),
    recordRefund: (refund, event) =>
      database.transaction(async (tx) => {
        const recorded = await recordRefund(tx, refund)
        if (recorded.isNew) await writeAuditEvent(tx, event)
        return recorded
      }),
    listPayments: async (accountId, page) => listPayments(database, accountId, page),
    listLedger: async (accountId, page) => listLedger(database, accountId, page),
  }
}

type TierStorage = Pick<
  Storage,
  'loadAccounts' | 'loadTierDoubts' | 'takeTierStep' | 'unlessRunning' | 'findLastRunMs' | 'saveLastRunMs'
>

/** What evaluations of tiers read and change, and when they last ran. */
export function tierStorageOn(database: Database): TierStorage {
  return {
    loadAccounts: () => loadAccounts(database),
    loadTierDoubts: () => loadTierDoubts(database),
    takeTierStep: (step, event) =>
      database.transaction(async (tx) => {
        const isTaken = await takeTierStep(tx, step)
        if (isTaken) await writeAuditEvent(tx, event)
        return isTaken
      }),
    unlessRunning: (name, work) => database.unlessRunning(name, work),
    findLastRunMs: (jobName) => findLastRunMs(database, jobName),
    saveLastRunMs: (jobName, atMs) => saveLastRunMs(database, jobName, atMs),
  }
}
