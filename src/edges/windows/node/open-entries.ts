import type { Demand, OpenHolds } from '../../../serve/ports/admissions.ts'
import type { OpenHold } from '../../../serve/ports/shared-limits.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import type { AccountView, KeyView, MoneyViews } from './views.ts'

/**
 * - `asked`: not decided yet; the limits store may or may not have a hold.
 * - `open`: under way, with a hold.
 * - `settled`: ended; the cost is not stored yet.
 * - `stored`: the cost is stored; the limits store does not know yet.
 * - `sending`: being sent to the limits store, which may or may not have received it.
 */
type EntryState = 'asked' | 'open' | 'settled' | 'stored' | 'sending'

/** One request of this node, for as long as the limits store may have a hold for it. */
export class Entry implements OpenHold {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly account: AccountView
  readonly key: KeyView
  amountNano: NanoUsdt
  state: EntryState = 'asked'
  endedDay = 0
  /** How often its hold was reported to the limits store while it was open. */
  reports = 0
  /** Whether the admission call failed, so that the limits store may have a hold. */
  isUnanswered = false
  /** Whether the balance this node knows does not include the cost yet. */
  isUncounted = false
  /** Whether the limits store holds it as part of a sum. */
  isFolded = false

  constructor({ requestId, accountId, keyId, hold }: Demand, views: MoneyViews) {
    this.requestId = requestId
    this.accountId = accountId
    this.keyId = keyId
    this.amountNano = hold.amountNano
    this.account = views.account(accountId)
    this.key = views.key(keyId)
  }
}

/** The entries of one account, by what the limits store should do with them. */
export interface AccountEntries {
  readonly holds: OpenHold[]
  /** Calls about these are unanswered, so the limits store may or may not have a hold. */
  readonly unsure: string[]
  readonly stored: Entry[]
}

// All holds of an account are sent in one step, which blocks every other call.
const FOLD_AT = 2_000

/** The requests of this node that have, or should have, a hold in the limits store. */
export class OpenEntries {
  readonly #entries = new Map<string, Entry>()
  /** Folded entries that wait for the database. There can be as many as fit in the journal, so nothing iterates them. */
  readonly #resting = new Map<string, Entry>()
  readonly #folded = new FoldedCosts()
  /** Settled entries that are held one by one, by account. */
  readonly #costs = new Map<string, Set<Entry>>()
  readonly #views: MoneyViews
  readonly #foldAt: number

  constructor(views: MoneyViews, foldAt = FOLD_AT) {
    this.#views = views
    this.#foldAt = foldAt
  }

  get(requestId: string): Entry | undefined {
    return this.#entries.get(requestId) ?? this.#resting.get(requestId)
  }

  openHolds(): OpenHolds {
    let count = 0
    let heldNano = 0n
    for (const { state, amountNano } of this.#entries.values()) {
      if (state !== 'open') continue
      count += 1
      heldNano += amountNano
    }
    return { count, heldNano }
  }

  ask(demand: Demand): Entry {
    const entry = new Entry(demand, this.#views)
    this.#entries.set(entry.requestId, entry)
    return entry
  }

  open(entry: Entry, heldNano: NanoUsdt): void {
    entry.state = 'open'
    entry.amountNano = heldNano
    entry.account.heldNano += heldNano
    entry.key.heldNano += heldNano
  }

  /** Several growths of one request may be under way; the largest counts. */
  grow(entry: Entry, amountNano: NanoUsdt): void {
    const moreNano = amountNano - entry.amountNano
    if (moreNano <= 0n) return
    entry.amountNano = amountNano
    entry.account.heldNano += moreNano
    entry.key.heldNano += moreNano
  }

  /** The hold becomes the cost. */
  settle(entry: Entry, amountNano: NanoUsdt, endedDay: number): void {
    entry.account.heldNano -= entry.amountNano
    entry.key.heldNano -= entry.amountNano
    entry.state = 'settled'
    entry.amountNano = amountNano
    entry.endedDay = endedDay
    entry.isUncounted = true
    entry.account.unstoredNano += amountNano
    entry.key.addUnstored(endedDay, amountNano)
    const costs = this.#costs.get(entry.accountId)
    if (costs === undefined) this.#costs.set(entry.accountId, new Set([entry]))
    else costs.add(entry)
  }

  /** Whether an account has so many unstored costs that sending each would block other calls. */
  hasBacklog(accountId: string): boolean {
    return (this.#costs.get(accountId)?.size ?? 0) >= this.#foldAt
  }

  /** From the next assertion of holds on, the limits store has them as a sum. */
  foldBacklog(accountId: string): void {
    for (const entry of this.#costs.get(accountId) ?? []) {
      entry.isFolded = true
      this.#folded.add(entry)
      this.#entries.delete(entry.requestId)
      this.#resting.set(entry.requestId, entry)
    }
    this.#costs.delete(accountId)
  }

  /** The database has the cost; the limits store has to be updated. */
  noteStored(entry: Entry): void {
    entry.state = 'stored'
    this.#removeCost(entry)
    if (this.#resting.delete(entry.requestId)) this.#entries.set(entry.requestId, entry)
  }

  /** The balance and totals this node knows now include the cost. */
  count(entry: Entry): void {
    if (!entry.isUncounted) return
    entry.isUncounted = false
    entry.account.unstoredNano -= entry.amountNano
    entry.key.addUnstored(entry.endedDay, -entry.amountNano)
  }

  forget(entry: Entry): void {
    this.#entries.delete(entry.requestId)
    this.#removeCost(entry)
    if (entry.isFolded) this.#folded.remove(entry)
  }

  #removeCost(entry: Entry): void {
    const costs = this.#costs.get(entry.accountId)
    if (costs?.delete(entry) && costs.size === 0) this.#costs.delete(entry.accountId)
  }

  accountIds(): Set<string> {
    const ids = new Set(this.#folded.accountIds())
    for (const { accountId } of this.#entries.values()) ids.add(accountId)
    return ids
  }

  /** Groups entries in one pass. Accounts without entries get empty lists. */
  byAccount(accountIds: Iterable<string>): Map<string, AccountEntries> {
    const grouped = new Map<string, AccountEntries>()
    for (const accountId of accountIds) {
      grouped.set(accountId, { holds: this.#folded.holdsOf(accountId), unsure: [], stored: [] })
    }
    for (const entry of this.#entries.values()) {
      const ofAccount = grouped.get(entry.accountId)
      if (ofAccount !== undefined) place(entry, ofAccount)
    }
    return grouped
  }

  /** Costs that are not in the database yet. */
  costsByAccount(): Map<string, OpenHold[]> {
    const costs = new Map<string, OpenHold[]>()
    for (const accountId of this.#folded.accountIds()) costs.set(accountId, this.#folded.holdsOf(accountId))
    for (const [accountId, entries] of this.#costs) {
      costs.set(accountId, [...(costs.get(accountId) ?? []), ...entries])
    }
    return costs
  }
}

function place(entry: Entry, { holds, unsure, stored }: AccountEntries): void {
  switch (entry.state) {
    case 'asked':
    case 'sending':
      unsure.push(entry.requestId)
      return
    case 'stored':
      stored.push(entry)
      if (!entry.isFolded) holds.push(entry)
      return
    case 'open':
      entry.reports += 1
      holds.push(entry)
      return
    case 'settled':
      holds.push(entry)
  }
}

interface Cost extends OpenHold {
  readonly accountId: string
}

interface Sum {
  amountNano: NanoUsdt
  costs: number
}

/** Costs held as one sum per key because there are too many to hold one by one. */
export class FoldedCosts {
  readonly #byAccount = new Map<string, Map<string, Sum>>()

  add({ accountId, keyId, amountNano }: Cost): void {
    const ofAccount = this.#byAccount.get(accountId) ?? new Map<string, Sum>()
    this.#byAccount.set(accountId, ofAccount)
    const sum = ofAccount.get(keyId) ?? { amountNano: 0n, costs: 0 }
    ofAccount.set(keyId, sum)
    sum.amountNano += amountNano
    sum.costs += 1
  }

  remove({ accountId, keyId, amountNano }: Cost): void {
    const ofAccount = this.#byAccount.get(accountId)
    const sum = ofAccount?.get(keyId)
    if (ofAccount === undefined || sum === undefined) return
    sum.amountNano -= amountNano
    sum.costs -= 1
    if (sum.costs > 0) return
    ofAccount.delete(keyId)
    if (ofAccount.size === 0) this.#byAccount.delete(accountId)
  }

  accountIds(): Iterable<string> {
    return this.#byAccount.keys()
  }

  holdsOf(accountId: string): OpenHold[] {
    const sums = this.#byAccount.get(accountId) ?? []
    return [...sums].map(([keyId, { amountNano }]) => ({ requestId: `unstored:${keyId}`, keyId, amountNano }))
  }
}
