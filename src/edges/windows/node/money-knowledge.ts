import type { CallerIds, HoldDemand } from '../../../serve/ports/admissions.ts'
import type { AdmitAnswer } from '../../../serve/ports/shared-limits.ts'
import { isDoneWithin } from './limits-circuit.ts'
import type { NodeParts } from './node-parts.ts'

type Missing = Extract<AdmitAnswer, { type: 'unknown' }>['missing']
/** Which money bounds a hold. */
type Bounds = Pick<HoldDemand, 'amountNano' | 'creditLineNano' | 'usageLimit'>

/** How long a request waits for the database to load an account. */
export const READ_PATIENCE_MS = 2_000

// While a node decides on its own: how old known balances may be, and how long it waits for newer ones.
const FRESH_MS = 3_000
const REFRESH_PATIENCE_MS = 200
const REST_MS = 2_000

/** Loads what a decision about a hold needs: into the limits store, or into this node while the store is lost. */
export class MoneyKnowledge {
  readonly #parts: NodeParts
  /** After a timeout, requests stop waiting for the database until then. */
  #databaseRestsUntilMs = Number.NEGATIVE_INFINITY

  constructor(parts: NodeParts) {
    this.#parts = parts
  }

  /** Gives the limits store what it lacks. Returns whether it has it now. */
  async makeKnown(missing: Missing, { accountId, keyId }: CallerIds, bounds: Bounds): Promise<boolean> {
    const { circuit, generation, loader, timers, deadlineMs } = this.#parts
    if (missing === 'generation') {
      return isDoneWithin(circuit.watch(generation.join()), deadlineMs, timers)
    }
    if (!(await isDoneWithin(generation.complete(), deadlineMs, timers))) return false
    const limitedKeyId = bounds.usageLimit === null ? null : keyId
    return isDoneWithin(loader.load(accountId, limitedKeyId), READ_PATIENCE_MS, timers)
  }

  /**
   * Whether this node knows enough to decide on its own. Reads money that is missing or old, since other nodes may have
   * spent. If the database is down too, older values are good enough: this node knows what it spent since.
   */
  async suffices({ accountId, keyId }: CallerIds, bounds: Bounds): Promise<boolean> {
    const { reader, timers, clock, views } = this.#parts
    const [account, key] = [views.account(accountId), views.key(keyId)]
    const nowMs = clock.nowMs()
    const isOld = (readAtMs: number) => nowMs - readAtMs > FRESH_MS && nowMs >= this.#databaseRestsUntilMs
    const wantsBalance = bounds.creditLineNano !== null && bounds.amountNano > 0n
    const wantsTotals = bounds.usageLimit !== null
    const isKnown = (!wantsBalance || account.isKnown) && (!wantsTotals || key.totals !== null)
    const readsBalance = wantsBalance && (!account.isKnown || isOld(account.readAtMs))
    const readsTotals = wantsTotals && (key.totals === null || isOld(key.readAtMs))
    if (!readsBalance && !readsTotals) return true
    const read = Promise.all([
      reader.readBalances(readsBalance ? [accountId] : []),
      reader.readTotals(readsTotals ? [keyId] : []),
    ])
    if (await isDoneWithin(read, isKnown ? REFRESH_PATIENCE_MS : READ_PATIENCE_MS, timers)) return true
    this.#databaseRestsUntilMs = clock.nowMs() + REST_MS
    return isKnown
  }
}

export function limitedKeyIds({ keyId }: CallerIds, { usageLimit }: Bounds): string[] {
  return usageLimit === null ? [] : [keyId]
}
