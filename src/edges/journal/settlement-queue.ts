import { endedAtMs } from '../../rules/ledger/period.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { LineAt } from './read-lines.ts'
import { decodeSealedLine, type Place, type SegmentFiles } from './segment-files.ts'

/** Settlements to store together. */
export interface Batch {
  readonly settlements: readonly Settlement[]
  /** Whether they are also in a file. */
  readonly isFiled: boolean
  /** Call once when all of them are stored. */
  done(): void
}

export interface QueueOptions {
  readonly batch: number
  readonly maxInMemory: number
  /** Called for an unreadable line. */
  readonly onDamaged: (line: LineAt) => void
}

export type Waiter = PromiseWithResolvers<void>

/** A settlement that is only in memory. `waiter` is null when no answer waits for it. */
export interface Unfiled {
  readonly settlement: Settlement
  readonly waiter: Waiter | null
}

interface Filed {
  readonly settlement: Settlement
  readonly segment: number
  /** Bytes written before it. */
  readonly writtenBefore: number
}

/**
 * A small batch holds up other requests for less time, and its settlements are garbage sooner. But each of its keys has totals
 * and index pages that a batch writes once, so with many keys large batches take less time in all.
 */
const DUE_WITHOUT_KEYS = 96
const DUE_PER_KEY = 32

/** From this position on, settlements are only in the files. */
interface DiskPosition {
  readonly segment: number
  readonly offset: number
  readonly writtenBefore: number
}

/**
 * Settlements that wait for the database, in the order in which they were written. The first ones are in memory; when
 * there are too many, later ones are read back from the files when their turn comes.
 */
export class SettlementQueue {
  readonly #files: SegmentFiles
  readonly #options: QueueOptions
  readonly #inMemory: Filed[] = []
  /** The keys of those in memory, or of the next batch. */
  readonly #keyIds = new Set<string>()
  #onDiskFrom: DiskPosition | null = null
  #onDiskCount = 0
  #unfiled: Unfiled[] = []
  #writtenBytes = 0
  /** When the first waiting request ended; null when none waits. Only this class sets it. */
  oldestAtMs: number | null = null

  constructor(files: SegmentFiles, options: QueueOptions) {
    this.#files = files
    this.#options = options
  }

  get count(): number {
    return this.#inMemory.length + this.#onDiskCount + this.#unfiled.length
  }

  /** Whether so many wait that the next batch need not wait for more. */
  get isBatchDue(): boolean {
    const enough = DUE_WITHOUT_KEYS + DUE_PER_KEY * this.#keyIds.size
    return this.count >= Math.min(enough, this.#options.batch)
  }

  /** How many are only in memory because they could not be written. */
  get unfiledCount(): number {
    return this.#unfiled.length
  }

  /** Whether an answer waits until one of these is stored. */
  get isAwaited(): boolean {
    return this.#unfiled.some(({ waiter }) => waiter !== null)
  }

  /** Bytes written since the first waiting settlement. */
  get bytes(): number {
    const first = this.#inMemory[0] ?? this.#onDiskFrom
    return first === null ? 0 : this.#writtenBytes - first.writtenBefore
  }

  /** The file of the first waiting settlement; null when none is in a file. */
  get firstSegment(): number | null {
    return (this.#inMemory[0] ?? this.#onDiskFrom)?.segment ?? null
  }

  /** Adds settlements that were just written together, with or without other lines. */
  add(settlements: readonly Settlement[], { segment, offset, bytes }: Place): void {
    const writtenBefore = this.#writtenBytes
    this.#writtenBytes += bytes
    if (settlements.length === 0) return
    if (this.#onDiskFrom === null && this.#inMemory.length >= this.#options.maxInMemory) {
      this.#onDiskFrom = { segment, offset, writtenBefore }
    }
    if (this.#onDiskFrom !== null) {
      this.#onDiskCount += settlements.length
      return
    }
    for (const settlement of settlements) this.#hold({ settlement, segment, writtenBefore })
    if (this.oldestAtMs === null) this.#noteOldest()
  }

  /** Adds settlements that could not be written to a file. */
  addUnfiled(unfiled: readonly Unfiled[]): void {
    this.#unfiled.push(...unfiled)
    if (this.oldestAtMs === null) this.#noteOldest()
  }

  /** Removes all settlements that are in no file. Do not call while some of them are being stored. */
  takeUnfiled(): Unfiled[] {
    const taken = this.#unfiled
    this.#unfiled = []
    this.#noteOldest()
    return taken
  }

  /** Drops the settlements that answers wait for and rejects their waiters. They are never charged. */
  withdraw(error: unknown): void {
    const awaited = this.#unfiled.filter(({ waiter }) => waiter !== null)
    this.#unfiled = this.#unfiled.filter(({ waiter }) => waiter === null)
    this.#noteOldest()
    for (const { waiter } of awaited) waiter?.reject(error)
  }

  /** The next batch; null when none waits. Settlements in no file come first, because answers wait for them. */
  next(): Batch | null {
    const unfiled = this.#unfiled.slice(0, this.#options.batch)
    if (unfiled.length > 0) return this.#batchOf(unfiled, false)
    this.#readBack()
    const filed = this.#inMemory.slice(0, this.#options.batch)
    return filed.length === 0 ? null : this.#batchOf(filed, true)
  }

  #batchOf(batch: readonly (Filed | Unfiled)[], isFiled: boolean): Batch {
    return {
      settlements: batch.map(({ settlement }) => settlement),
      isFiled,
      done: () => {
        const queue = isFiled ? this.#inMemory : this.#unfiled
        queue.splice(0, batch.length)
        if (isFiled) this.#noteKeys()
        this.#noteOldest()
        for (const each of batch) if ('waiter' in each) each.waiter?.resolve()
      },
    }
  }

  #hold(filed: Filed): void {
    this.#inMemory.push(filed)
    this.#keyIds.add(filed.settlement.keyId)
  }

  #noteKeys(): void {
    this.#keyIds.clear()
    for (const { settlement } of this.#inMemory.slice(0, this.#options.batch)) {
      this.#keyIds.add(settlement.keyId)
    }
  }

  #noteOldest(): void {
    const first = (this.#inMemory[0] ?? this.#unfiled[0])?.settlement
    if (first !== undefined) this.oldestAtMs = endedAtMs(first)
    // For one that is only in the files, the time is known when it is read back; until then this is a lower bound.
    else if (this.#onDiskFrom === null) this.oldestAtMs = null
  }

  #readBack(): void {
    while (this.#inMemory.length === 0 && this.#onDiskFrom !== null) this.#readPortion(this.#onDiskFrom)
  }

  /** Reads part of one file. Nothing is written meanwhile, so the end of the newest file is the end of the queue. */
  #readPortion(start: DiskPosition): void {
    const { segment } = start
    const isNewest = segment === this.#files.current
    let offset = start.offset
    for (const at of this.#files.read(segment, { from: offset })) {
      const line = at.text === '' ? undefined : decodeSealedLine(at.text)
      const writtenBefore = start.writtenBefore + offset - start.offset
      if (line?.type === 'settled') this.#hold({ settlement: line.settlement, segment, writtenBefore })
      else if (line === null) this.#options.onDamaged(at)
      offset = at.endsAt
      if (this.#inMemory.length >= this.#options.batch) break
    }
    this.#onDiskCount = Math.max(0, this.#onDiskCount - this.#inMemory.length)
    const writtenBefore = start.writtenBefore + offset - start.offset
    if (this.#inMemory.length >= this.#options.batch) this.#onDiskFrom = { segment, offset, writtenBefore }
    else if (!isNewest) this.#onDiskFrom = { segment: segment + 1, offset: 0, writtenBefore }
    else {
      this.#onDiskFrom = null
      this.#onDiskCount = 0
    }
    this.#noteOldest()
  }
}
