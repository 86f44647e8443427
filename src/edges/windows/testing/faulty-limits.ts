import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  ConversationPin,
  GrowAnswer,
  GrowCall,
  OpenHold,
  SharedLimits,
  SharedNote,
  SharedNotice,
  WindowState,
} from '../../../serve/ports/shared-limits.ts'
import type { Timers } from '../../../vocabulary/clock.ts'
import type { ModelLimits } from './model-limits.ts'

/**
 * - `lost`: a call fails and is not carried out.
 * - `lost-after`: a call fails and is carried out.
 * - `silent`: a call fails when its time is over, and is carried out when the limits store speaks again.
 * - `slow`: a call is carried out at once, and its answer is under way for a while, so that answers overtake others.
 */
export type Fault = 'none' | 'lost' | 'lost-after' | 'silent' | 'slow'

const SLOWEST_MS = 20

/** The limits store of one node, with a connection that can fail in every way a connection can. */
export class FaultyLimits implements SharedLimits {
  readonly deadlineMs = 50
  readonly calls: string[] = []
  readonly #timers: Timers
  readonly #onCarried: (name: string) => void
  readonly #noticeListeners = new Set<(notice: SharedNotice) => void>()
  readonly #connectionListeners = new Set<() => void>()
  #sharedLimits: ModelLimits
  #fault: Fault = 'none'
  #held: (() => void)[] = []
  #turn = 0

  /** `onCarried` is told which call the limits store has carried out, before anything else happens. */
  constructor(sharedLimits: ModelLimits, timers: Timers, onCarried: (name: string) => void = () => {}) {
    this.#timers = timers
    this.#sharedLimits = sharedLimits
    this.#onCarried = onCarried
    this.#listen()
  }

  get fault(): Fault {
    return this.#fault
  }

  set fault(fault: Fault) {
    const wasLost = this.#fault === 'lost' || this.#fault === 'lost-after'
    this.#fault = fault
    if (fault === 'silent') return
    const held = this.#held
    this.#held = []
    for (const run of held) run()
    if (wasLost && fault === 'none') for (const listener of this.#connectionListeners) listener()
  }

  /** From here on it is another limits store, that knows nothing of what was said. */
  replace(sharedLimits: ModelLimits): void {
    this.#sharedLimits = sharedLimits
    this.#listen()
  }

  #listen(): void {
    this.#sharedLimits.onNotice((notice) => {
      if (this.#fault === 'none' || this.#fault === 'slow')
        for (const hear of this.#noticeListeners) hear(notice)
    })
  }

  async #carry<Answer>(name: string, work: (sharedLimits: ModelLimits) => Promise<Answer>): Promise<Answer> {
    this.calls.push(name)
    const run = () => {
      const answer = work(this.#sharedLimits)
      this.#onCarried(name)
      return answer
    }
    switch (this.#fault) {
      case 'none':
        return run()
      case 'lost':
        throw new Error('The connection was lost.')
      case 'lost-after':
        await run()
        throw new Error('The connection was lost before the answer.')
      case 'silent':
        this.#held.push(() => void run())
        await this.#wait(this.deadlineMs)
        throw new Error('The limits store was silent.')
      case 'slow': {
        const answer = await run()
        this.#turn += 7
        await this.#wait(this.#turn % SLOWEST_MS)
        return answer
      }
    }
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#timers.after(delayMs, resolve))
  }

  admit(call: AdmitCall): Promise<AdmitAnswer> {
    return this.#carry('admit', (sharedLimits) => sharedLimits.admit(call))
  }

  grow(call: GrowCall): Promise<GrowAnswer> {
    return this.#carry('grow', (sharedLimits) => sharedLimits.grow(call))
  }

  takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    return this.#carry('takeCapacity', (sharedLimits) => sharedLimits.takeCapacity(accountId, options))
  }

  look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    return this.#carry('look', (sharedLimits) => sharedLimits.look(accountId, windows))
  }

  settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    const asTold = copies(settled)
    return this.#carry('settle', (sharedLimits) => sharedLimits.settle(accountId, asTold))
  }

  learn(accountId: string, news: AccountUpdate): Promise<void> {
    return this.#carry('learn', (sharedLimits) => sharedLimits.learn(accountId, news))
  }

  assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    const asTold = copies(holds)
    return this.#carry('assertHolds', (sharedLimits) => sharedLimits.assertHolds(accountId, asTold, unsure))
  }

  addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    const asTold = copies(holds)
    return this.#carry('addHolds', (sharedLimits) => sharedLimits.addHolds(accountId, asTold))
  }

  releaseNode(nodeId: string): Promise<number> {
    return this.#carry('releaseNode', (sharedLimits) => sharedLimits.releaseNode(nodeId))
  }

  generation(): Promise<string | null> {
    return this.#carry('generation', (sharedLimits) => sharedLimits.generation())
  }

  beginGeneration(proposed: string): Promise<string> {
    return this.#carry('beginGeneration', (sharedLimits) => sharedLimits.beginGeneration(proposed))
  }

  joinGeneration(generation: string): Promise<void> {
    return this.#carry('joinGeneration', (sharedLimits) => sharedLimits.joinGeneration(generation))
  }

  listJoined(generation: string): Promise<readonly string[]> {
    return this.#carry('listJoined', (sharedLimits) => sharedLimits.listJoined(generation))
  }

  listAwaited(): Promise<readonly string[] | null> {
    return Promise.resolve(null)
  }

  configurationVersion(): Promise<number | null> {
    return this.#carry('configurationVersion', (sharedLimits) => sharedLimits.configurationVersion())
  }

  announceConfiguration(version: number): Promise<void> {
    return this.#carry('announceConfiguration', (sharedLimits) => sharedLimits.announceConfiguration(version))
  }

  savePin(pin: ConversationPin): Promise<void> {
    return this.#carry('savePin', (sharedLimits) => sharedLimits.savePin(pin))
  }

  saveNote(note: SharedNote): Promise<void> {
    return this.#carry('saveNote', (sharedLimits) => sharedLimits.saveNote(note))
  }

  findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#carry('findNotes', (sharedLimits) => sharedLimits.findNotes(accountId, names))
  }

  publish(notice: SharedNotice, keptMs?: number): Promise<void> {
    return this.#carry('publish', (sharedLimits) => sharedLimits.publish(notice, keptMs))
  }

  listKept(): Promise<readonly SharedNotice[]> {
    return this.#carry('listKept', (sharedLimits) => sharedLimits.listKept())
  }

  onNotice(listener: (notice: SharedNotice) => void): () => void {
    this.#noticeListeners.add(listener)
    return () => this.#noticeListeners.delete(listener)
  }

  onConnected(listener: () => void): () => void {
    this.#connectionListeners.add(listener)
    listener()
    return () => this.#connectionListeners.delete(listener)
  }

  close(): Promise<void> {
    return this.#sharedLimits.close()
  }
}

/** Copies the arguments, as sending does: later changes must not reach the store. */
function copies(holds: readonly OpenHold[]): OpenHold[] {
  return holds.map(({ requestId, keyId, amountNano }) => ({ requestId, keyId, amountNano }))
}
