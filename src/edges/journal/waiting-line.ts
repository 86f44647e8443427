import { endedAtMs } from '../../rules/ledger/aggregate.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { decodeSealedLine, type LineAt } from './journal-lines.ts'
import type { Place, SegmentFiles } from './segment-files.ts'

/** Settlements to store together. */
export interface Batch {
  readonly settlements: readonly Settlement[]
  /** Whether they are also in a file. */
  readonly isFiled: boolean
  /** Call once when all of them are stored. */
  leave(): void
}

export interface LineOptions {
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

interface Waiting {
  readonly settlement: Settlement
  readonly segment: number
  /** Bytes written before it. */
  readonly writtenBefore: number
}

/** From this position on, settlements are only in the files. */
interface Far {
  readonly segment: number
  readonly offset: number
  readonly writtenBefore: number
}

/**
 * Settlements that wait for the database, in the order in which they were written. The first ones are in memory; when
 * there are too many, later ones are read back from the files when their turn comes.
 */
export class WaitingLine {
  readonly #files: SegmentFiles
  readonly #options: LineOptions
  readonly #near: Waiting[] = []
  #far: Far | null = null
  #farCount = 0
  #unfiled: Unfiled[] = []
  #writtenBytes = 0
  /** When the first waiting request ended. */
  #oldestAtMs: number | null = null

  constructor(files: SegmentFiles, options: LineOptions) {
    this.#files = files
    this.#options = options
  }

  get count(): number {
    return this.#near.length + this.#farCount + this.#unfiled.length
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
    const first = this.#near[0] ?? this.#far
    return first === null ? 0 : this.#writtenBytes - first.writtenBefore
  }

  /** The file of the first waiting settlement; null when none is in a file. */
  get firstSegment(): number | null {
    return (this.#near[0] ?? this.#far)?.segment ?? null
  }

  /** When the first waiting request ended; null when none waits. */
  get oldestAtMs(): number | null {
    return this.#oldestAtMs
  }

  /** Adds settlements that were just written together, with or without other lines. */
  add(settlements: readonly Settlement[], { segment, offset, bytes }: Place): void {
    const writtenBefore = this.#writtenBytes
    this.#writtenBytes += bytes
    if (settlements.length === 0) return
    if (this.#far === null && this.#near.length >= this.#options.maxInMemory) {
      this.#far = { segment, offset, writtenBefore }
    }
    if (this.#far !== null) {
      this.#farCount += settlements.length
      return
    }
    for (const settlement of settlements) this.#near.push({ settlement, segment, writtenBefore })
    if (this.#oldestAtMs === null) this.#noteOldest()
  }

  /** Adds settlements that could not be written to a file. */
  addUnfiled(unfiled: readonly Unfiled[]): void {
    this.#unfiled.push(...unfiled)
    if (this.#oldestAtMs === null) this.#noteOldest()
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
    const near = this.#near.slice(0, this.#options.batch)
    return near.length === 0 ? null : this.#batchOf(near, true)
  }

  #batchOf(batch: readonly (Waiting | Unfiled)[], isFiled: boolean): Batch {
    return {
      settlements: batch.map(({ settlement }) => settlement),
      isFiled,
      leave: () => {
        const line = isFiled ? this.#near : this.#unfiled
        line.splice(0, batch.length)
        this.#noteOldest()
        for (const each of batch) if ('waiter' in each) each.waiter?.resolve()
      },
    }
  }

  #noteOldest(): void {
    const first = (this.#near[0] ?? this.#unfiled[0])?.settlement
    if (first !== undefined) this.#oldestAtMs = endedAtMs(first)
    // For one that is only in the files, the time is known when it is read back; until then this is a lower bound.
    else if (this.#far === null) this.#oldestAtMs = null
  }

  #readBack(): void {
    while (this.#near.length === 0 && this.#far !== null) this.#readPortion(this.#far)
  }

  /** Reads part of one file. Nothing is written meanwhile, so the end of the newest file is the end of the queue. */
  #readPortion(far: Far): void {
    const { segment } = far
    const isNewest = segment === this.#files.current
    let offset = far.offset
    for (const at of this.#files.read(segment, { from: offset })) {
      const line = at.text === '' ? undefined : decodeSealedLine(at.text)
      const writtenBefore = far.writtenBefore + offset - far.offset
      if (line?.type === 'settled') this.#near.push({ settlement: line.settlement, segment, writtenBefore })
      else if (line === null) this.#options.onDamaged(at)
      offset = at.endsAt
      if (this.#near.length >= this.#options.batch) break
    }
    this.#farCount = Math.max(0, this.#farCount - this.#near.length)
    const writtenBefore = far.writtenBefore + offset - far.offset
    if (this.#near.length >= this.#options.batch) this.#far = { segment, offset, writtenBefore }
    else if (!isNewest) this.#far = { segment: segment + 1, offset: 0, writtenBefore }
    else {
      this.#far = null
      this.#farCount = 0
    }
    this.#noteOldest()
  }
}

/** How much may wait for the database before requests are refused. */
export interface JournalBounds {
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly clock: Clock
}

/** Why requests are refused; null while there is room. Runs for every request, so it only compares. */
export function findRefusal(
  line: WaitingLine,
  { maxBytes, maxAgeMs, clock }: JournalBounds,
  isDatabaseFailing: boolean,
): string | null {
  const { oldestAtMs } = line
  if (oldestAtMs === null) return null
  if (line.bytes > maxBytes) {
    return `The journal is full: records of earlier requests wait for the database (limit ${maxBytes} bytes). Try again later.`
  }
  // Otherwise only the clock has moved, and everything is stored in a moment.
  if (isDatabaseFailing && clock.nowMs() - oldestAtMs > maxAgeMs) {
    return `Records of earlier requests have waited for the database for more than ${maxAgeMs / 1_000} seconds. Try again later.`
  }
  return null
}
