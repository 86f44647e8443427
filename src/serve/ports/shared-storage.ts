import type { UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { NodeRecord, SeenNode } from '../../vocabulary/system.ts'

/** A stored balance. The version grows with every change, so the greater one is newer. */
export interface StoredBalance {
  readonly accountId: string
  readonly balanceNano: NanoUsdt
  readonly version: bigint
}

export interface PeriodTotal {
  /** The first day of the period; 0 for the one that never ends. */
  readonly startDay: number
  /** Never gets less while the period lasts. */
  readonly spentNano: NanoUsdt
}

/** What is stored of a key's spending, for the periods a given day belongs to. */
export interface KeyTotals {
  readonly keyId: string
  readonly totals: Readonly<Record<UsagePeriod, PeriodTotal>>
}

/** What nodes need from the database that they share. */
export interface SharedStore {
  /** A balance of 0 and the version 0 for an account without any movement. */
  loadStoredBalances(accountIds: readonly string[]): Promise<readonly StoredBalance[]>
  /** One for each of the keys, also for those that never spent. */
  loadKeyTotals(keyIds: readonly string[], day: number): Promise<readonly KeyTotals[]>
  /**
   * Writes settlements with their ledger entries, balances and daily spends, and says where the balances stand that
   * were moved. A request id written before is skipped whole, so the same batch may come twice; `onKnown` is
   * then told the others.
   */
  writeSettlements(
    settlements: readonly Settlement[],
    onKnown?: (fresh: readonly Settlement[]) => void,
  ): Promise<readonly StoredBalance[]>
  /** The number of the configuration as it is stored; every change makes it greater. */
  loadConfigurationVersion(): Promise<number>
  /** Makes it at least this great, for a database that has lost changes. */
  raiseConfigurationVersion(least: number): Promise<void>
  /**
   * Runs a change of the configuration while no other node makes one. Whatever of it is written after another node has
   * written nevertheless, because this one was cut off for a while, is refused.
   */
  whileChanging<Result>(work: (progress: ChangeProgress) => Promise<Result>): Promise<Result>
}

/** The progress of the node that is changing the configuration. */
export interface ChangeProgress {
  /** What is stored: what was found at first and what was changed since, by this node alone. */
  readonly version: number
}

/** The list of nodes. */
export interface NodeStore {
  /** Reports that this node is alive. The first call adds it. */
  saveHeartbeat(node: NodeRecord, sharedLimitsId: string | null): Promise<void>
  listNodes(): Promise<readonly SeenNode[]>
  removeNode(id: string): Promise<void>
}
