import { dayOf } from '../../../rules/ledger/period.ts'
import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  GrowAnswer,
  GrowCall,
  OpenHold,
  ParentLink,
  SharedLimits,
  WindowState,
} from '../../../serve/ports/shared-limits.ts'
import type { Clock } from '../../../vocabulary/clock.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { LinkedLimits } from '../linked-limits.ts'
import { SharedWindows } from '../shared-windows.ts'
import { AccountRecords, isInUse, WindowRecords } from './account-records.ts'
import { RecordTable, type TableFile } from './records.ts'

export interface TableLimitsOptions {
  readonly file: TableFile
  readonly link: ParentLink
  /** What `link` says. */
  readonly nodeNumber: number
  readonly clock: Clock
  /** How long money is kept that nobody uses, when there is no room; 10 minutes when absent. */
  readonly keptMs?: number
}

interface WaitingStep {
  readonly run: () => void
  readonly reject: (error: unknown) => void
}

const KEPT_MS = 600_000
const LEAST_FORGOTTEN = 10_000

/**
 * The limits store of the workers of one machine, as one of them sees it: windows, holds and balances are in memory that
 * they share, the rest in the parent's. Each step holds the lock of that memory, so it is atomic.
 */
export class TableLimits extends LinkedLimits implements SharedLimits {
  readonly #table: RecordTable
  readonly #nodeNumber: number
  readonly #clock: Clock
  readonly #accounts = new Map<string, AccountRecords>()
  readonly #supplyWindows: SharedWindows
  #forgetAt = LEAST_FORGOTTEN
  /** Steps that wait for the lock, in the order they were made in. */
  #waiting: WaitingStep[] = []

  constructor({ file, link, nodeNumber, clock, keptMs = KEPT_MS }: TableLimitsOptions) {
    super(link)
    this.#table = new RecordTable(file, nodeNumber, (index) => {
      const nowMs = clock.nowMs()
      return isInUse(this.#table, index, { nowMs, sinceMs: nowMs - keptMs })
    })
    this.#nodeNumber = nodeNumber
    this.#clock = clock
    this.#supplyWindows = new SharedWindows(new WindowRecords(this.#table, ''))
  }

  admit(call: AdmitCall): MaybePromise<AdmitAnswer> {
    const answer = this.#inTurn(() => this.#admit(call))
    return call.conversation === null ? answer : this.#withPin(answer, call.accountId, call.conversation)
  }

  async #withPin(
    answering: MaybePromise<AdmitAnswer>,
    accountId: string,
    conversation: string,
  ): Promise<AdmitAnswer> {
    const answer = await answering
    if (answer.type !== 'admitted') return answer
    // The request is admitted, whether or not the parent knows where its conversation was.
    const pin = await this.link.findPin(accountId, conversation).catch(() => null)
    return { ...answer, pin }
  }

  #admit(call: AdmitCall): AdmitAnswer {
    const account = this.#account(call.accountId)
    const unanswerable = this.#unanswerable(call, account)
    if (unanswerable !== null) return unanswerable
    const nowMs = this.#clock.nowMs()
    const { requestId, keyId, hold } = call
    const { windows } = account
    const ownNano = account.heldFor(requestId) ?? 0n
    const decision =
      windows.refusalOf(call.windows, nowMs) ?? account.decide(keyId, hold, { ownNano, today: dayOf(nowMs) })
    if (decision !== null && decision.reason !== 'partial-hold') {
      return { type: 'refused', refusal: decision, windows: windows.look(call.windows, nowMs) }
    }
    const heldNano = decision?.heldNano ?? null
    account.place({ requestId, keyId, amountNano: heldNano ?? hold.amountNano })
    windows.take(call.windows, nowMs)
    return { type: 'admitted', heldNano, windows: windows.look(call.windows, nowMs), pin: null }
  }

  #unanswerable(call: AdmitCall, account: AccountRecords): AdmitAnswer | null {
    const { configurationVersion } = this.#table
    const missing = this.#missing(call.generation, account, call.hold.usageLimit === null ? null : call.keyId)
    if (missing !== 'generation' && configurationVersion > call.configurationVersion) {
      return { type: 'behind', version: configurationVersion }
    }
    return missing === null ? null : { type: 'unknown', missing }
  }

  #missing(
    generation: string,
    account: AccountRecords,
    limitedKeyId: string | null,
  ): 'generation' | 'account' | 'key' | null {
    const number = generationNumber(generation)
    if (number !== this.#table.generation) return 'generation'
    if (!account.isLoadedIn(number)) return 'account'
    return limitedKeyId !== null && !account.knowsKey(limitedKeyId) ? 'key' : null
  }

  async grow({ generation, ...growth }: GrowCall): Promise<GrowAnswer> {
    const { requestId, keyId, amountNano } = growth
    return this.#inTurn((): GrowAnswer => {
      const account = this.#account(growth.accountId)
      const missing = this.#missing(generation, account, growth.usageLimit === null ? null : keyId)
      if (missing !== null) return { type: 'unknown', missing }
      const ownNano = account.heldFor(requestId)
      if (ownNano === null) return { type: 'unknown', missing: 'hold' }
      if (amountNano <= ownNano) return 'grown'
      const today = dayOf(this.#clock.nowMs())
      if (account.decide(keyId, growth, { ownNano, today }) !== null) return 'refused'
      account.place({ requestId, keyId, amountNano })
      return 'grown'
    })
  }

  async takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    return this.#inTurn(() => this.#windows(accountId).takeFirst(options, this.#clock.nowMs()))
  }

  async look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    return this.#inTurn(() => this.#windows(accountId).look(windows, this.#clock.nowMs()))
  }

  async settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    return this.#inTurn(() => this.#account(accountId).settle(settled))
  }

  async learn(accountId: string, update: AccountUpdate): Promise<void> {
    return this.#inTurn(() => {
      const generation = generationNumber(update.generation)
      if (generation !== this.#table.generation) return
      this.#account(accountId).learn(update, generation, dayOf(this.#clock.nowMs()))
    })
  }

  async assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#account(accountId).assert(holds, unsure))
  }

  async addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    return this.#inTurn(() => {
      const account = this.#account(accountId)
      for (const hold of holds) account.place(hold)
    })
  }

  #windows(accountId: string | null): SharedWindows {
    if (accountId === null) return this.#supplyWindows
    return (this.#accounts.get(accountId) ?? this.#remember(accountId)).windows
  }

  #account(accountId: string): AccountRecords {
    const known = this.#accounts.get(accountId) ?? this.#remember(accountId)
    known.begin(this.#clock.nowMs())
    return known
  }

  #remember(accountId: string): AccountRecords {
    if (this.#accounts.size >= this.#forgetAt) {
      for (const [id, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(id)
      this.#forgetAt = Math.max(LEAST_FORGOTTEN, 2 * this.#accounts.size)
    }
    const account = new AccountRecords(this.#table, this.#nodeNumber, accountId)
    this.#accounts.set(accountId, account)
    return account
  }

  /** Runs a step with the lock: at once, unless another process has it or an earlier step waits for it. */
  #inTurn<Answer>(step: () => Answer): MaybePromise<Answer> {
    if (this.#waiting.length === 0 && this.#table.tryLock()) return this.#finish(step)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.push({ run: () => resolve(step()), reject })
    if (this.#waiting.length === 1) void this.#runWaiting()
    return promise
  }

  /** All that have come meanwhile run, or fail, together: a lock that is not released holds up nobody for longer than once. */
  async #runWaiting(): Promise<void> {
    const locked = await this.#table.lock().then(
      () => null,
      (error: unknown) => ({ error }),
    )
    const waiting = this.#waiting
    this.#waiting = []
    if (locked !== null) {
      for (const { reject } of waiting) reject(locked.error)
      return
    }
    this.#finish(() => {
      for (const { run, reject } of waiting) {
        try {
          run()
        } catch (error) {
          reject(error)
        }
      }
    })
  }

  #finish<Answer>(step: () => Answer): Answer {
    try {
      return step()
    } finally {
      this.#table.unlock()
    }
  }
}

const GENERATION_BITS = 52
let lastGeneration: string | null = null
let lastNumber = 0

/** Never 0, which is the generation of an empty table. */
export function generationNumber(generation: string): number {
  if (generation !== lastGeneration) {
    lastGeneration = generation
    lastNumber = 1 + Number(BigInt.asUintN(GENERATION_BITS, Bun.hash.wyhash(generation)))
  }
  return lastNumber
}
