import type { AdmissionLimits, SharedHolds } from '../../../serve/ports/shared-limits.ts'
import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-storage.ts'
import type { AccountReader } from './accounts.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { LocalWindows } from './local-shares.ts'
import type { Entry, OpenEntries } from './open-entries.ts'
import type { StaleAccounts, UpdateSender } from './settlements.ts'

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

/** What to send for one account besides its balance. */
interface AccountRepair {
  readonly accountId: string
  readonly stored: readonly Entry[]
  readonly keyIds: ReadonlySet<string>
}

// Larger batches would delay requests on the same connection.
const MAX_AT_ONCE = 200

/** Brings the limits store back in line with this node's holds and with the database. */
export class LimitsHealer {
  readonly #parts: HealerParts
  /**
   * Accounts in which holds were asserted. They are asserted until none are left: an update that would have removed them
   * is lost on an emptied store whose new generation this node has not joined yet.
   */
  readonly #asserted = new Set<string>()

  constructor(parts: HealerParts) {
    this.#parts = parts
  }

  /** Reports all holds of this node. Like every method here, it rejects when the limits store fails. */
  async assertEverything(): Promise<void> {
    const accountIds = [...this.#parts.entries.accountIds().union(this.#asserted)]
    for (const some of portionsOf(accountIds)) await allOf(this.#assert(some))
  }

  /**
   * Reports a hold that this node decided on its own although the store is in use, or that the store lacks. It is sent
   * in this step, so it counts for every later call. Never rejects.
   */
  sendHold(entry: Entry): void {
    const { sharedLimits } = this.#parts
    const { accountId } = entry
    entry.reports += 1
    this.#asserted.add(accountId)
    this.#watch(accountId, sharedLimits.addHolds(accountId, [entry])).catch(() => undefined)
  }

  /** Folds the unstored costs of an account into one sum per key. Never rejects. */
  fold(accountId: string): void {
    const { entries, circuit } = this.#parts
    entries.foldBacklog(accountId)
    // A store that does not answer receives everything when it does.
    if (circuit.isClosed) allOf(this.#assert([accountId])).catch(() => undefined)
  }

  /** Heals every account in use and every stale one. */
  async healEverything(): Promise<void> {
    const { entries, staleAccounts } = this.#parts
    const inUse = entries.accountIds().union(this.#asserted)
    const outOfDate = [...staleAccounts.takeRecentlyHealed(), ...staleAccounts.accountIds()]
    await this.#heal(this.#withLocalWindows([...inUse, ...outOfDate]))
  }

  async healStale(): Promise<void> {
    await this.#heal(this.#parts.staleAccounts.accountIds())
  }

  /** Sends holds and windows only, and in this step, so that they count for every later call. */
  sendStale(): void {
    const { staleAccounts, circuit } = this.#parts
    const accountIds = this.#withLocalWindows(staleAccounts.accountIds())
    for (const accountId of accountIds) staleAccounts.take(accountId)
    allOf([...this.#assert(accountIds), this.#sendWindows(null)]).catch((error) => circuit.trip(error))
  }

  /** Adds the accounts whose windows this node has spent from on its own, without duplicates. */
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
    // Collected before reading, so that what is read includes their costs.
    const repairs = this.#repairs(accountIds)
    const facts = await this.#read(repairs)
    const sent = facts === null ? [] : repairs.map((repair) => this.#sendFacts(repair, facts))
    // No await in between: the store receives them in this order, and entries being sent are left unchanged.
    await allOf([...sent, ...this.#assert(accountIds)])
  }

  #repairs(accountIds: readonly string[]): AccountRepair[] {
    const { entries, staleAccounts, needsTotals } = this.#parts
    const grouped = entries.byAccount(accountIds)
    return accountIds.map((accountId) => {
      const stored = grouped.get(accountId)?.stored ?? []
      const keyIds = new Set(staleAccounts.take(accountId))
      for (const { keyId } of stored) if (needsTotals(keyId)) keyIds.add(keyId)
      return { accountId, stored, keyIds }
    })
  }

  /** null when the database fails. The accounts then stay stale, and stored costs stay held. */
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
    const unsent = stored.filter((entry) => entry.state === 'stored')
    for (const entry of unsent) entries.count(entry)
    const keys: KeyTotals[] = []
    for (const keyId of keyIds) {
      const totals = facts.totals.get(keyId)
      if (totals !== undefined) keys.push(totals)
    }
    const balance = facts.balances.get(accountId) ?? null
    return sender.send({ accountId, balance, keys, entries: unsent, unknownIds: [] })
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
    const spends = localWindows.takeUnsent(accountId, nowMs())
    if (spends.length === 0) return
    try {
      await circuit.watch(admissionLimits.takeCapacity(accountId, [spends]))
    } catch (error) {
      localWindows.markUnsent(spends)
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

/** Waits for all calls even if one fails, so that no rejection goes unhandled. */
async function allOf(calls: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(calls)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
