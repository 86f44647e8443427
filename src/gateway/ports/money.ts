import type { UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

/** What a key has spent in the present period, and what its requests under way may cost at most. */
export interface KeyMoney {
  readonly spentNano: NanoUsdt
  readonly heldNano: NanoUsdt
}

/** The money state the request path decides on, kept in step with what is stored. */
export interface Money {
  /** 0 for an account without any ledger entry. */
  balanceNano(accountId: string): NanoUsdt
  /** Adds a stored payment or adjustment, which may be negative. */
  credit(accountId: string, amountNano: NanoUsdt): void
  keyMoney(keyId: string, period: UsagePeriod): KeyMoney
}
