import { dayOf } from '../../../rules/ledger/period.ts'
import type { KeyTotals, SharedBookStore, StoredBalance } from '../../../serve/ports/shared-books.ts'
import type { SharedHolds } from '../../../serve/ports/shared-limits.ts'
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

/** One reading of an account, for everybody who waits for it. */
interface Flight {
  readonly keyIds: Set<string>
  /** From here on no key can be added to it. */
  hasBegun: boolean
  readonly done: Promise<void>
}

/** Tells the limits store what is stored of an account it does not know. */
export class AccountLoader {
  readonly #parts: LoaderParts
  readonly #flights = new Map<string, Flight>()

  constructor(parts: LoaderParts) {
    this.#parts = parts
  }

  /** Resolves when the limits store knows the account, and the key if there is one. */
  async load(accountId: string, keyId: string | null): Promise<void> {
    for (;;) {
      const flight = this.#flights.get(accountId)
      if (flight === undefined) return this.#start(accountId, keyId)
      if (keyId === null || flight.keyIds.has(keyId)) return flight.done
      if (!flight.hasBegun) {
        flight.keyIds.add(keyId)
        return flight.done
      }
      // What it fails of is for those who wait for it; this one tries by itself.
      await flight.done.catch(() => undefined)
    }
  }

  #start(accountId: string, keyId: string | null): Promise<void> {
    const keyIds = new Set(keyId === null ? [] : [keyId])
    const { promise, resolve } = Promise.withResolvers<void>()
    const flight: Flight = {
      keyIds,
      hasBegun: false,
      done: promise.then(() => this.#fly(accountId, flight)).finally(() => this.#flights.delete(accountId)),
    }
    this.#flights.set(accountId, flight)
    resolve()
    return flight.done
  }

  async #fly(accountId: string, flight: Flight): Promise<void> {
    const { sharedLimits, circuit, generation, reader } = this.#parts
    // Read after this, or the limits store could be told a balance from before it was emptied.
    const complete = await generation.complete()
    flight.hasBegun = true
    const [balances, totals] = await Promise.all([
      reader.readBalances([accountId]),
      reader.readTotals([...flight.keyIds]),
    ])
    const balance = balances.get(accountId) ?? null
    if (balance === null) throw new Error(`The database did not tell the balance of account ${accountId}.`)
    const keys = [...totals.values()]
    await circuit.watch(
      sharedLimits.learn(accountId, { generation: complete, stored: [], balance, keys, isLoad: true }),
    )
  }
}

export type MoneyStore = Pick<SharedBookStore, 'loadStoredBalances' | 'loadKeyTotals'>

const MAX_AT_ONCE = 500

/** Reads the database; whatever is read is also what this node knows from then on. */
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

  /** `day`: the latest of which something was stored, when a clock other than this one may have been ahead. */
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
