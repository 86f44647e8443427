import { accountPath } from './client.ts'
import { type List, useList } from './use-list.ts'

export type LedgerKind = 'payment' | 'settlement' | 'refund' | 'adjustment'

/** One movement of the balance. */
export interface LedgerEntry {
  readonly id: string
  readonly kind: LedgerKind
  readonly amount: string
  /** Of a settlement; null for the sum of many whose details were deleted. */
  readonly request_id: string | null
  readonly reference: string | null
  readonly note: string | null
  readonly created_at: string
}

export function useLedger(account: string): List<LedgerEntry> {
  return useList<LedgerEntry>([account, 'ledger'], accountPath(account, '/ledger'))
}
