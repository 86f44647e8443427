import type { SharedLimits } from '../../../serve/ports/shared-limits.ts'
import type { AccountReader } from './account-reader.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { LimitsGeneration } from './limits-generation.ts'

export interface LoaderParts {
  readonly sharedLimits: SharedLimits
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
