import { newThresholds } from '../../rules/alerts/alert-rules.ts'
import { dayOf, periodStartDay } from '../../rules/ledger/period.ts'
import type { Money } from '../../serve/ports/admissions.ts'
import type { Notice } from '../../vocabulary/alert.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { SpendWatch } from '../ports/alerts.ts'
import {
  balanceNotice,
  balanceOccasion,
  budgetNotice,
  implausibleNotice,
  implausibleOccasion,
  limitNotice,
  limitOccasion,
} from './write-notice.ts'

export interface WatchParts {
  readonly snapshot: () => Snapshot
  readonly money: Pick<Money, 'balanceNano' | 'knowsBalance' | 'keyMoney'>
  readonly clock: Clock
  /** Accounts whose low balance was reported by an earlier process. */
  readonly lowBalances: readonly string[]
}

/** A notice that is not stored yet. */
export type Sighting =
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'occasion-ended'; readonly occasion: string; readonly atMs: number }

interface SaidThresholds {
  readonly monthStartDay: number
  readonly upTo: number
}

/**
 * Detects when budgets, limits and balances are crossed. It checks synchronously after each movement of money, so no
 * crossing is missed. Its memory only avoids repeated notices; the storage guarantees that each occasion is reported once.
 */
export class AlertWatch implements SpendWatch {
  readonly #parts: WatchParts
  readonly #waiting: Sighting[] = []
  readonly #thresholds = new Map<string, SaidThresholds>()
  readonly #limits = new Map<string, string>()
  readonly #implausible = new Map<string, string>()
  readonly #low: Set<string>

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#low = new Set(parts.lowBalances)
  }

  noteSettled(settlement: Settlement): void {
    const { keyId, accountId, amountNano, notes } = settlement
    if (notes.length > 0 && notes.includes('implausible_usage')) this.#noteImplausible(settlement)
    if (amountNano === 0n) return
    // The current key, which may have changed since the request began.
    const key = this.#parts.snapshot().keys.get(keyId)
    // Most keys have neither.
    if (key !== undefined && (key.budget !== null || key.usageLimit !== null)) this.#lookAtKey(key)
    this.noteBalance(accountId)
  }

  /** Checks the keys and accounts of stored settlements. By then the spending of other nodes is known too. */
  noteStored(settlements: readonly Pick<Settlement, 'keyId' | 'accountId'>[]): void {
    for (const keyId of new Set(settlements.map((settlement) => settlement.keyId))) {
      const key = this.#parts.snapshot().keys.get(keyId)
      if (key !== undefined) this.#lookAtKey(key)
    }
    for (const accountId of new Set(settlements.map((settlement) => settlement.accountId))) {
      this.noteBalance(accountId)
    }
  }

  noteKeyRefused(keyId: string): void {
    const key = this.#parts.snapshot().keys.get(keyId)
    if (key !== undefined) this.#lookAtLimit(key, { isRefused: true })
  }

  /** Call it after every change of the balance. */
  noteBalance(accountId: string): void {
    const account = this.#parts.snapshot().accounts.get(accountId)
    // Until this node has read or changed the shared balance, it does not know it.
    if (account === undefined || this.#parts.money.knowsBalance?.(accountId) === false) return
    const floorNano = account.balanceAlertNano
    const balanceNano = this.#parts.money.balanceNano(accountId)
    const isLow = floorNano !== null && balanceNano < floorNano
    if (isLow === this.#low.has(accountId)) return
    if (isLow) {
      this.#low.add(accountId)
      this.note(balanceNotice(account, { floorNano, balanceNano }, this.#parts.clock.nowMs()))
    } else {
      this.#low.delete(accountId)
      this.noteEnded(balanceOccasion(accountId))
    }
  }

  note(notice: Notice): void {
    this.#waiting.push({ type: 'notice', notice })
  }

  /** What was reported under this occasion is over; when it comes back, it is reported again. */
  noteEnded(occasion: string): void {
    this.#waiting.push({ type: 'occasion-ended', occasion, atMs: this.#parts.clock.nowMs() })
  }

  /** Checks everything at start, because the previous process may have ended before it stored a notice. */
  lookAtAll(): void {
    const { keys, accounts } = this.#parts.snapshot()
    for (const key of keys.values()) if (key.state === 'active') this.#lookAtKey(key)
    for (const accountId of accounts.keys()) this.noteBalance(accountId)
  }

  /** The oldest notice; it stays until it is stored. */
  get first(): Sighting | undefined {
    return this.#waiting[0]
  }

  removeFirst(): void {
    this.#waiting.shift()
  }

  #noteImplausible(settlement: Settlement): void {
    const supplier = this.#parts.snapshot().supply.suppliers.get(settlement.supplier ?? '')
    if (supplier === undefined) return
    const atMs = this.#parts.clock.nowMs()
    const occasion = implausibleOccasion(supplier.id, atMs)
    if (this.#implausible.get(supplier.id) === occasion) return
    this.#implausible.set(supplier.id, occasion)
    this.note(implausibleNotice(settlement, supplier, atMs))
  }

  #lookAtKey(key: ApiKey): void {
    this.#lookAtBudget(key)
    this.#lookAtLimit(key, { isRefused: false })
  }

  #lookAtBudget(key: ApiKey): void {
    const { budget } = key
    if (budget === null) return
    const { money, clock } = this.#parts
    const atMs = clock.nowMs()
    const { spentNano } = money.keyMoney(key.id, 'monthly')
    const monthStartDay = periodStartDay('monthly', dayOf(atMs))
    const said = this.#thresholds.get(key.id)
    const saidUpTo = said?.monthStartDay === monthStartDay ? said.upTo : 0
    for (const threshold of newThresholds(budget, spentNano, saidUpTo)) {
      this.#thresholds.set(key.id, { monthStartDay, upTo: threshold })
      this.note(budgetNotice(key, { budget, threshold }, { spentNano, atMs }))
    }
  }

  #lookAtLimit(key: ApiKey, { isRefused }: { isRefused: boolean }): void {
    const limit = key.usageLimit
    if (limit === null) return
    const { spentNano } = this.#parts.money.keyMoney(key.id, limit.period)
    if (!isRefused && spentNano < limit.amountNano) return
    const atMs = this.#parts.clock.nowMs()
    const occasion = limitOccasion(key, limit, atMs)
    if (this.#limits.get(key.id) === occasion) return
    this.#limits.set(key.id, occasion)
    this.note(limitNotice(key, limit, { spentNano, atMs }))
  }
}

/** Wraps the money operations, so that the watch checks the balance after each payment, refund or correction. */
export function watchMoney(money: Money, watch: Pick<AlertWatch, 'noteBalance'>): Money {
  return {
    balanceNano: (accountId) => money.balanceNano(accountId),
    keyMoney: (keyId, period) => money.keyMoney(keyId, period),
    credit: async (accountId, amountNano) => {
      await money.credit(accountId, amountNano)
      watch.noteBalance(accountId)
    },
    refresh: (owners) => money.refresh(owners),
  }
}
