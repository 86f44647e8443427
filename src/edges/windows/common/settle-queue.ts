import type { SharedLimits } from '../../../serve/ports/shared-limits.ts'
import type { Timers } from '../../../vocabulary/clock.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { Entry } from './open-entries.ts'
import type { Suspects } from './suspects.ts'

export interface SettleQueueParts {
  readonly sharedLimits: SharedLimits
  readonly circuit: LimitsCircuit
  readonly suspects: Suspects
  readonly timers: Timers
}

// Nobody waits for it; meanwhile more is held than need be, so it is not put off for long.
const GATHER_MS = 5

/** Tells the limits store what requests have cost, those of one account together. */
export class SettleQueue {
  readonly #parts: SettleQueueParts
  #waiting = new Map<string, Entry[]>()
  #cancel: (() => void) | null = null

  constructor(parts: SettleQueueParts) {
    this.#parts = parts
  }

  add(entry: Entry): void {
    const ofAccount = this.#waiting.get(entry.accountId)
    if (ofAccount === undefined) this.#waiting.set(entry.accountId, [entry])
    else ofAccount.push(entry)
    this.#cancel ??= this.#parts.timers.after(GATHER_MS, this.#flush)
  }

  stop(): void {
    this.#cancel?.()
    this.#waiting.clear()
  }

  readonly #flush = (): void => {
    this.#cancel = null
    const waiting = this.#waiting
    this.#waiting = new Map()
    for (const [accountId, entries] of waiting) void this.#send(accountId, entries)
  }

  async #send(accountId: string, entries: readonly Entry[]): Promise<void> {
    const { sharedLimits, circuit, suspects } = this.#parts
    if (!circuit.isClosed) {
      suspects.add(accountId)
      return
    }
    try {
      await circuit.watch(sharedLimits.settle(accountId, entries))
    } catch {
      // The circuit knows, and the account is healed when the limits store answers again.
      suspects.add(accountId)
    }
  }
}
