import type { Demand } from '../../../serve/ports/admissions.ts'
import type { OpenHold } from '../../../serve/ports/shared-limits.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import type { AccountView, KeyView, MoneyViews } from './views.ts'

/**
 * - `asked`: whether it is admitted is not known yet; the limits store may hold it or not.
 * - `open`: under way, with a hold.
 * - `settled`: over, and its cost is not stored yet.
 * - `stored`: its cost is stored, and the limits store has not been told.
 * - `telling`: the limits store is being told; it may have heard it or not.
 */
type EntryState = 'asked' | 'open' | 'settled' | 'stored' | 'telling'

/** One request of this node, for as long as the limits store may hold something of it. */
export class Entry implements OpenHold {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly account: AccountView
  readonly key: KeyView
  amountNano: NanoUsdt
  state: EntryState = 'asked'
  endedDay = 0
  /** Whether the limits store did not answer when it was asked, and may hold it nevertheless. */
  isUnanswered = false
  /** Whether what this node knows of the stored balance lacks it. */
  isUncounted = false
  /** Whether the limits store is told of it as part of a sum. */
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

/** What one account's entries mean for the limits store. */
export interface AccountEntries {
  readonly holds: OpenHold[]
  /** Whether the limits store holds these cannot be said now: what was asked about them is not answered. */
  readonly unsure: string[]
  readonly stored: Entry[]
}

// The limits store is told of all of an account's at once, in a step for which everybody waits.
const FOLD_AT = 2_000

/** The requests of this node that the limits store holds something of, or should. */
export class OpenEntries {
  readonly #entries = new Map<string, Entry>()
  /** Those that are folded and wait for the database: as many as the journal has room for, so nobody walks through them. */
  readonly #resting = new Map<string, Entry>()
  readonly #folded = new FoldedCosts()
  /** Settled, and told of one by one; by account. */
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

  ask(demand: Demand): Entry {
    const entry = new Entry(demand, this.#views)
    this.#entries.set(entry.requestId, entry)
    return entry
  }

  open(entry: Entry): void {
    entry.state = 'open'
    entry.account.heldNano += entry.amountNano
    entry.key.heldNano += entry.amountNano
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

  /** Whether so many costs of an account wait for the database that telling of each would hold everybody up. */
  hasBacklog(accountId: string): boolean {
    return (this.#costs.get(accountId)?.size ?? 0) >= this.#foldAt
  }

  /** From the next assertion of holds on, the limits store knows them as a sum. */
  foldBacklog(accountId: string): void {
    for (const entry of this.#costs.get(accountId) ?? []) {
      entry.isFolded = true
      this.#folded.add(entry)
      this.#entries.delete(entry.requestId)
      this.#resting.set(entry.requestId, entry)
    }
    this.#costs.delete(accountId)
  }

  /** The database has its cost, and the limits store is to be told. */
  noteStored(entry: Entry): void {
    entry.state = 'stored'
    this.#removeCost(entry)
    if (this.#resting.delete(entry.requestId)) this.#entries.set(entry.requestId, entry)
  }

  /** From now on the cost is in the balance and in the totals that this node knows. */
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

  /** One pass over all entries serves any number of accounts; those without any are there and empty. */
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

  /** Costs that neither the database nor, once the node is gone, anybody else knows of. */
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
    case 'telling':
      unsure.push(entry.requestId)
      return
    case 'stored':
      stored.push(entry)
      if (!entry.isFolded) holds.push(entry)
      return
    case 'open':
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

/** Costs that are held as one sum for each key, because there are so many. */
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
