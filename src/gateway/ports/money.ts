import type { UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

/** What a key has spent in the present period, and what its requests under way may cost at most. */
export interface KeyMoney {
  readonly spentNano: NanoUsdt
  readonly heldNano: NanoUsdt
}

export interface MoneyOwners {
  readonly accountIds?: readonly string[]
  readonly keyIds?: readonly string[]
}

/** The money state the request path decides on, kept in step with what is stored. */
export interface Money {
  /** 0 for an account without any ledger entry. */
  balanceNano(accountId: string): NanoUsdt
  /** Whether the balance was ever heard of here; absent where all of them are known. */
  knowsBalance?(accountId: string): boolean
  /** Adds a stored payment or adjustment, which may be negative. Resolves when it can be spent. */
  credit(accountId: string, amountNano: NanoUsdt): void | Promise<void>
  keyMoney(keyId: string, period: UsagePeriod): KeyMoney
  /** Brings what this node knows of these up to date, where other nodes move money as well. */
  refresh(owners: MoneyOwners): void | Promise<void>
}
