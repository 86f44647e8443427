import type { NanoUsdt } from '../../vocabulary/money.ts'

/** The money state the request path decides on, kept in step with what is stored. */
export interface Money {
  /** 0 for an account without any ledger entry. */
  balanceNano(accountId: string): NanoUsdt
  /** Adds a stored payment or adjustment, which may be negative. */
  credit(accountId: string, amountNano: NanoUsdt): void
}
