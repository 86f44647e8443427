import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-books.ts'
import type { AdmissionLimits, SharedHolds } from '../../../serve/ports/shared-limits.ts'
import type { AccountReader } from './accounts.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { LocalWindows } from './local-shares.ts'
import type { Entry, OpenEntries } from './open-entries.ts'
import type { UpdateSender } from './settlements.ts'

export interface HealerParts {
  readonly admissionLimits: Pick<AdmissionLimits, 'takeCapacity'>
  readonly sharedLimits: SharedHolds
  readonly circuit: LimitsCircuit
  readonly reader: AccountReader
  readonly entries: OpenEntries
  readonly staleAccounts: StaleAccounts
  readonly sender: UpdateSender
  readonly localWindows: LocalWindows
  readonly nowMs: () => number
  readonly needsTotals: (keyId: string) => boolean
  readonly onTrouble: (error: unknown) => void
}

interface Facts {
  readonly balances: ReadonlyMap<string, StoredBalance>
  readonly totals: ReadonlyMap<string, KeyTotals>
}

/** What there is to tell of one account besides its balance. */
interface AccountRepair {
  readonly accountId: string
  readonly stored: readonly Entry[]
  readonly keyIds: ReadonlySet<string>
}

// More at once would fill the connection that requests wait for.
const MAX_AT_ONCE = 200

/** Brings the limits store back in step with what this node holds and with what is stored. */
export class LimitsHealer {
  readonly #parts: HealerParts
  /**
   * Accounts in which holds were asserted. They are asserted until there are none: news that would have removed them
   * are lost on a limits store that has been emptied and whose new generation this node has not joined yet.
   */
  readonly #asserted = new Set<string>()

  constructor(parts: HealerParts) {
    this.#parts = parts
  }

  /** Tells the holds of this node in all accounts. Fails when the limits store does, as everything here. */
  async assertEverything(): Promise<void> {
    const accountIds = [...this.#parts.entries.accountIds().union(this.#asserted)]
    for (const some of portionsOf(accountIds)) await allOf(this.#assert(some))
  }

  /**
   * Tells of a request that this node let in by itself although the limits store is asked: sent in this very step, so whatever
   * is asked next is judged with it. Never fails.
   */
  sendAdmitted(entry: Entry): void {
    const { sharedLimits } = this.#parts
    const { accountId } = entry
    this.#asserted.add(accountId)
    this.#watch(accountId, sharedLimits.addHolds(accountId, [entry])).catch(() => undefined)
  }

  /** Makes one sum of the costs of an account that wait for the database. Never fails. */
  fold(accountId: string): void {
    const { entries, circuit } = this.#parts
    entries.foldBacklog(accountId)
    // A limits store that does not answer is told everything when it does.
    if (circuit.isClosed) allOf(this.#assert([accountId])).catch(() => undefined)
  }

  /** Every account in use, and every one that may be out of step. */
  async healEverything(): Promise<void> {
    const { entries, staleAccounts } = this.#parts
    const inUse = entries.accountIds().union(this.#asserted)
    const outOfStep = [...staleAccounts.takeRecentlyHealed(), ...staleAccounts.accountIds()]
    await this.#heal(this.#withLocalWindows([...inUse, ...outOfStep]))
  }

  async healStale(): Promise<void> {
    await this.#heal(this.#parts.staleAccounts.accountIds())
  }

  /** Holds and windows only, and sent in this very step: whatever is asked next is judged with them. */
  sendStale(): void {
    const { staleAccounts, circuit } = this.#parts
    const accountIds = this.#withLocalWindows(staleAccounts.accountIds())
    for (const accountId of accountIds) staleAccounts.discharge(accountId)
    allOf([...this.#assert(accountIds), this.#sendWindows(null)]).catch((error) => circuit.trip(error))
  }

  /** Each once, and with those whose windows this node has spent from by itself. */
  #withLocalWindows(accountIds: Iterable<string>): string[] {
    const { localWindows, nowMs } = this.#parts
    const all = new Set(accountIds)
    for (const owner of localWindows.owners(nowMs())) if (owner !== null) all.add(owner)
    return [...all]
  }

  async #heal(accountIds: readonly string[]): Promise<void> {
    for (const some of portionsOf(accountIds)) await this.#healSome(some)
    await this.#sendWindows(null)
  }

  async #healSome(accountIds: readonly string[]): Promise<void> {
    // Taken before anything is read: what these cost is then in what is read.
    const repairs = this.#repairs(accountIds)
    const facts = await this.#read(repairs)
    const told = facts === null ? [] : repairs.map((repair) => this.#sendFacts(repair, facts))
    // Not waited for in between: the limits store hears it in this order, and what is being told now is left as it is.
    await allOf([...told, ...this.#assert(accountIds)])
  }

  #repairs(accountIds: readonly string[]): AccountRepair[] {
    const { entries, staleAccounts, needsTotals } = this.#parts
    const grouped = entries.byAccount(accountIds)
    return accountIds.map((accountId) => {
      const stored = grouped.get(accountId)?.stored ?? []
      const keyIds = new Set(staleAccounts.discharge(accountId))
      for (const { keyId } of stored) if (needsTotals(keyId)) keyIds.add(keyId)
      return { accountId, stored, keyIds }
    })
  }

  /** null when the database does not tell. The accounts then stay suspect, and costs that are stored stay held. */
  async #read(repairs: readonly AccountRepair[]): Promise<Facts | null> {
    const { reader, staleAccounts, onTrouble } = this.#parts
    try {
      const [balances, totals] = await Promise.all([
        reader.readBalances(repairs.map(({ accountId }) => accountId)),
        reader.readTotals(repairs.flatMap(({ keyIds }) => [...keyIds])),
      ])
      return { balances, totals }
    } catch (error) {
      for (const { accountId, keyIds } of repairs) staleAccounts.add(accountId, keyIds)
      onTrouble(error)
      return null
    }
  }

  #sendFacts({ accountId, stored, keyIds }: AccountRepair, facts: Facts): Promise<void> {
    const { sender, entries } = this.#parts
    const untold = stored.filter((entry) => entry.state === 'stored')
    for (const entry of untold) entries.count(entry)
    const keys: KeyTotals[] = []
    for (const keyId of keyIds) {
      const totals = facts.totals.get(keyId)
      if (totals !== undefined) keys.push(totals)
    }
    const balance = facts.balances.get(accountId) ?? null
    return sender.tell({ accountId, balance, keys, entries: untold, unknownIds: [] })
  }

  #assert(accountIds: readonly string[]): Promise<void>[] {
    const calls: Promise<void>[] = []
    for (const [accountId, { holds, unsure }] of this.#parts.entries.byAccount(accountIds)) {
      if (holds.length + unsure.length > 0) this.#asserted.add(accountId)
      else this.#asserted.delete(accountId)
      calls.push(this.#sendWindows(accountId))
      calls.push(this.#watch(accountId, this.#parts.sharedLimits.assertHolds(accountId, holds, unsure)))
    }
    return calls
  }

  async #sendWindows(accountId: string | null): Promise<void> {
    const { admissionLimits, circuit, localWindows, nowMs } = this.#parts
    const news = localWindows.tell(accountId, nowMs())
    if (news.length === 0) return
    try {
      await circuit.watch(admissionLimits.takeCapacity(accountId, [news]))
    } catch (error) {
      localWindows.takeBack(news)
      throw error
    }
  }

  async #watch(accountId: string, call: Promise<void>): Promise<void> {
    try {
      await this.#parts.circuit.watch(call)
    } catch (error) {
      this.#parts.staleAccounts.add(accountId)
      throw error
    }
  }
}

function* portionsOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let first = 0; first < ids.length; first += MAX_AT_ONCE) yield ids.slice(first, first + MAX_AT_ONCE)
}

/** Waits for all of them, also when one fails, so that none is left to fail unseen. */
async function allOf(calls: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(calls)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Accounts of which the limits store may believe something that is not so, with the keys whose totals it may lack. */
export class StaleAccounts {
  readonly #keysOf = new Map<string, Set<string>>()
  /**
   * Accounts that were healed. They are looked at once more: a call that was given up may still lie in a connection
   * that was lost, and be carried out after the one that healed.
   */
  #recentlyHealed = new Set<string>()

  get size(): number {
    return this.#keysOf.size
  }

  add(accountId: string, keyIds: Iterable<string> = []): void {
    const known = this.#keysOf.get(accountId)
    if (known === undefined) this.#keysOf.set(accountId, new Set(keyIds))
    else for (const keyId of keyIds) known.add(keyId)
  }

  accountIds(): string[] {
    return [...this.#keysOf.keys()]
  }

  keyIds(): string[] {
    return [...this.#keysOf.values()].flatMap((keyIds) => [...keyIds])
  }

  /** From here on they are healed; gives the keys whose totals are to be told. */
  discharge(accountId: string): ReadonlySet<string> {
    const keyIds = this.#keysOf.get(accountId)
    if (keyIds === undefined) return NONE
    this.#keysOf.delete(accountId)
    this.#recentlyHealed.add(accountId)
    return keyIds
  }

  takeRecentlyHealed(): ReadonlySet<string> {
    const accountIds = this.#recentlyHealed
    this.#recentlyHealed = new Set()
    return accountIds
  }
}

const NONE: ReadonlySet<string> = new Set()
