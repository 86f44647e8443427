import type { JournalReading } from '../../../gateway/ports/books.ts'
import type { LedgerVerification } from '../../../vocabulary/ledger.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Database } from '../database.ts'
import { LedgerDifference } from './ledger-difference.ts'
import { findHorizonMs } from './retention.ts'
import { verifyBalances } from './verify-balances.ts'
import { isBeyond, verifyJournal } from './verify-journal.ts'
import { verifyOwners } from './verify-owners.ts'
import { verifyPayments } from './verify-payments.ts'
import { verifySettlements } from './verify-settlements.ts'

type Checked = { -readonly [Name in keyof LedgerVerification['checked']]: number }

/** Compares everything as of one moment, up to the first difference. */
export async function verifyLedger(
  database: Database,
  journal: JournalReading,
  { mayWait }: { readonly mayWait: boolean },
): Promise<LedgerVerification> {
  const checked: Checked = { accounts: 0, payments: 0, refunds: 0, settlements: 0, days: 0, journaled: 0 }
  try {
    const waiting = await database.snapshot(async (moment) => {
      const horizonMs = await findHorizonMs(moment)
      Object.assign(checked, await verifyPayments(moment))
      const { spentByAccount, ...counts } = await verifySettlements(moment, horizonMs)
      Object.assign(checked, counts)
      checked.accounts = await verifyBalances(moment, spentByAccount)
      await verifyOwners(moment, spentByAccount.keys())
      const files = new JournalCheck({ horizonMs, mayWait })
      checked.journaled = await verifyJournal(moment, journal.settled(), files.onMissing)
      checked.journaled += await verifyJournal(moment, journal.setAside(), refuseSetAside)
      return files.waiting
    })
    return { difference: null, checked, waiting }
  } catch (error) {
    if (!(error instanceof LedgerDifference)) throw error
    return { difference: error.message, checked, waiting: 0 }
  }
}

class JournalCheck {
  readonly #options: { readonly horizonMs: number; readonly mayWait: boolean }
  waiting = 0

  constructor(options: { readonly horizonMs: number; readonly mayWait: boolean }) {
    this.#options = options
  }

  readonly onMissing = (settlement: Settlement): void => {
    // A file of the journal may be older than the details that are kept.
    if (isBeyond(this.#options.horizonMs, settlement)) return
    if (!this.#options.mayWait) {
      throw new LedgerDifference(
        `Settlement ${settlement.requestId} is in the journal, but not in the database.`,
      )
    }
    this.waiting += 1
  }
}

function refuseSetAside({ requestId, amountNano }: Settlement): void {
  if (amountNano === 0n) return
  throw new LedgerDifference(
    `Settlement ${requestId} is set aside in the journal's folder and was charged to nobody.`,
  )
}
