import { dayOf } from '../../../rules/ledger/period.ts'
import type { SharedHolds } from '../../../serve/ports/shared-limits.ts'
import type { KeyTotals, SharedStore, StoredBalance } from '../../../serve/ports/shared-storage.ts'
import type { Clock } from '../../../vocabulary/clock.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { LimitsGeneration } from './limits-generation.ts'
import type { MoneyViews } from './views.ts'

export interface LoaderParts {
  readonly sharedLimits: Pick<SharedHolds, 'learn'>
  readonly circuit: LimitsCircuit
  readonly generation: LimitsGeneration
  readonly reader: AccountReader
}

/** One read of an account, shared by all requests that wait for it. */
interface AccountLoad {
  readonly keyIds: Set<string>
  /** Once true, no more keys can be added. */
  hasBegun: boolean
  readonly done: Promise<void>
}

/** Loads accounts that the limits store does not know from the database. */
export class AccountLoader {
  readonly #parts: LoaderParts
  readonly #loads = new Map<string, AccountLoad>()

  constructor(parts: LoaderParts) {
    this.#parts = parts
  }

  /** Resolves when the limits store knows the account and, if given, the key. */
  async load(accountId: string, keyId: string | null): Promise<void> {
    for (;;) {
      const load = this.#loads.get(accountId)
      if (load === undefined) return this.#start(accountId, keyId)
      if (keyId === null || load.keyIds.has(keyId)) return load.done
      if (!load.hasBegun) {
        load.keyIds.add(keyId)
        return load.done
      }
      // Its failure belongs to the requests that wait for it; this one tries again.
      await load.done.catch(() => undefined)
    }
  }

  #start(accountId: string, keyId: string | null): Promise<void> {
    const keyIds = new Set(keyId === null ? [] : [keyId])
    const { promise, resolve } = Promise.withResolvers<void>()
    const load: AccountLoad = {
      keyIds,
      hasBegun: false,
      done: promise.then(() => this.#read(accountId, load)).finally(() => this.#loads.delete(accountId)),
    }
    this.#loads.set(accountId, load)
    resolve()
    return load.done
  }

  async #read(accountId: string, load: AccountLoad): Promise<void> {
    const { sharedLimits, circuit, generation, reader } = this.#parts
    // Read only afterwards: a balance from before the store was emptied could be out of date.
    const complete = await generation.complete()
    load.hasBegun = true
    const [balances, totals] = await Promise.all([
      reader.readBalances([accountId]),
      reader.readTotals([...load.keyIds]),
    ])
    const balance = balances.get(accountId) ?? null
    if (balance === null) throw new Error(`The database returned no balance for account ${accountId}.`)
    const keys = [...totals.values()]
    await circuit.watch(
      sharedLimits.learn(accountId, { generation: complete, stored: [], balance, keys, isLoad: true }),
    )
  }
}

export type MoneyStore = Pick<SharedStore, 'loadStoredBalances' | 'loadKeyTotals'>

const MAX_AT_ONCE = 500

/** Reads the database and updates what this node knows with the result. */
export class AccountReader {
  readonly #storage: MoneyStore
  readonly #views: MoneyViews
  readonly #clock: Clock

  constructor(storage: MoneyStore, views: MoneyViews, clock: Clock) {
    this.#storage = storage
    this.#views = views
    this.#clock = clock
  }

  async readBalances(accountIds: readonly string[]): Promise<Map<string, StoredBalance>> {
    const found = new Map<string, StoredBalance>()
    const nowMs = this.#clock.nowMs()
    for (const some of chunksOf(accountIds)) {
      for (const balance of await this.#storage.loadStoredBalances(some)) {
        const view = this.#views.account(balance.accountId)
        view.learn(balance)
        view.readAtMs = nowMs
        found.set(balance.accountId, balance)
      }
    }
    return found
  }

  /** `day`: the latest day with a stored cost, since the clock of another node may be ahead of this one. */
  async readTotals(
    keyIds: readonly string[],
    day = Number.NEGATIVE_INFINITY,
  ): Promise<Map<string, KeyTotals>> {
    const found = new Map<string, KeyTotals>()
    const nowMs = this.#clock.nowMs()
    for (const some of chunksOf(keyIds)) {
      for (const totals of await this.#storage.loadKeyTotals(some, Math.max(day, dayOf(nowMs)))) {
        this.#views.key(totals.keyId).learn(totals, nowMs)
        found.set(totals.keyId, totals)
      }
    }
    return found
  }
}

function* chunksOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let first = 0; first < ids.length; first += MAX_AT_ONCE) yield ids.slice(first, first + MAX_AT_ONCE)
}
