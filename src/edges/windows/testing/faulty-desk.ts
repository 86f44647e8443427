import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import type {
  AccountNews,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  CommonDesk,
  ConversationPin,
  DeskNote,
  DeskNotice,
  OpenHold,
  WindowState,
} from '../../../serve/ports/common-desk.ts'
import type { Timers } from '../../../vocabulary/clock.ts'
import type { MemoryDesk } from '../memory-desk.ts'

/**
 * - `lost`: a call fails and is not carried out.
 * - `lost-after`: a call fails and is carried out.
 * - `silent`: a call fails when its time is over, and is carried out when the desk speaks again.
 * - `slow`: a call is carried out at once, and its answer is under way for a while, so that answers overtake others.
 */
export type Fault = 'none' | 'lost' | 'lost-after' | 'silent' | 'slow'

const SLOWEST_MS = 20

/** The desk of one node, with a connection that can fail in every way a connection can. */
export class FaultyDesk implements CommonDesk {
  readonly deadlineMs = 50
  readonly calls: string[] = []
  readonly #timers: Timers
  readonly #noticeListeners = new Set<(notice: DeskNotice) => void>()
  readonly #connectionListeners = new Set<() => void>()
  #desk: MemoryDesk
  #fault: Fault = 'none'
  #held: (() => void)[] = []
  #turn = 0

  constructor(desk: MemoryDesk, timers: Timers) {
    this.#timers = timers
    this.#desk = desk
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

  /** From here on it is another desk, that knows nothing of what was said. */
  replace(desk: MemoryDesk): void {
    this.#desk = desk
    this.#listen()
  }

  #listen(): void {
    this.#desk.onNotice((notice) => {
      if (this.#fault === 'none' || this.#fault === 'slow')
        for (const hear of this.#noticeListeners) hear(notice)
    })
  }

  async #carry<Answer>(name: string, work: (desk: MemoryDesk) => Promise<Answer>): Promise<Answer> {
    this.calls.push(name)
    switch (this.#fault) {
      case 'none':
        return work(this.#desk)
      case 'lost':
        throw new Error('The connection was lost.')
      case 'lost-after':
        await work(this.#desk)
        throw new Error('The connection was lost before the answer.')
      case 'silent':
        this.#held.push(() => void work(this.#desk))
        await this.#wait(this.deadlineMs)
        throw new Error('The desk was silent.')
      case 'slow': {
        const answer = await work(this.#desk)
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
    return this.#carry('admit', (desk) => desk.admit(call))
  }

  takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    return this.#carry('takeCapacity', (desk) => desk.takeCapacity(accountId, options))
  }

  look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    return this.#carry('look', (desk) => desk.look(accountId, windows))
  }

  settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    const asTold = copies(settled)
    return this.#carry('settle', (desk) => desk.settle(accountId, asTold))
  }

  learn(accountId: string, news: AccountNews): Promise<void> {
    return this.#carry('learn', (desk) => desk.learn(accountId, news))
  }

  assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    const asTold = copies(holds)
    return this.#carry('assertHolds', (desk) => desk.assertHolds(accountId, asTold, unsure))
  }

  addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    const asTold = copies(holds)
    return this.#carry('addHolds', (desk) => desk.addHolds(accountId, asTold))
  }

  releaseNode(nodeId: string): Promise<number> {
    return this.#carry('releaseNode', (desk) => desk.releaseNode(nodeId))
  }

  generation(): Promise<string | null> {
    return this.#carry('generation', (desk) => desk.generation())
  }

  beginGeneration(proposed: string): Promise<string> {
    return this.#carry('beginGeneration', (desk) => desk.beginGeneration(proposed))
  }

  joinGeneration(generation: string): Promise<void> {
    return this.#carry('joinGeneration', (desk) => desk.joinGeneration(generation))
  }

  listJoined(generation: string): Promise<readonly string[]> {
    return this.#carry('listJoined', (desk) => desk.listJoined(generation))
  }

  configurationVersion(): Promise<number | null> {
    return this.#carry('configurationVersion', (desk) => desk.configurationVersion())
  }

  announceConfiguration(version: number): Promise<void> {
    return this.#carry('announceConfiguration', (desk) => desk.announceConfiguration(version))
  }

  savePin(pin: ConversationPin): Promise<void> {
    return this.#carry('savePin', (desk) => desk.savePin(pin))
  }

  saveNote(note: DeskNote): Promise<void> {
    return this.#carry('saveNote', (desk) => desk.saveNote(note))
  }

  findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#carry('findNotes', (desk) => desk.findNotes(accountId, names))
  }

  publish(notice: DeskNotice, keptMs?: number): Promise<void> {
    return this.#carry('publish', (desk) => desk.publish(notice, keptMs))
  }

  listKept(): Promise<readonly DeskNotice[]> {
    return this.#carry('listKept', (desk) => desk.listKept())
  }

  onNotice(listener: (notice: DeskNotice) => void): () => void {
    this.#noticeListeners.add(listener)
    return () => this.#noticeListeners.delete(listener)
  }

  onConnected(listener: () => void): () => void {
    this.#connectionListeners.add(listener)
    listener()
    return () => this.#connectionListeners.delete(listener)
  }

  close(): Promise<void> {
    return this.#desk.close()
  }
}

/** A desk is told by what is sent to it: what changes later is not part of that. */
function copies(holds: readonly OpenHold[]): OpenHold[] {
  return holds.map(({ requestId, keyId, amountNano }) => ({ requestId, keyId, amountNano }))
}
