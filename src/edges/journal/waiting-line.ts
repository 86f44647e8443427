import { endedAtMs } from '../../rules/ledger/aggregate.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { decodeSealedLine, type LineAt } from './journal-lines.ts'
import type { Place, SegmentFiles } from './segment-files.ts'

/** What is to be stored together. */
export interface Batch {
  readonly settlements: readonly Settlement[]
  /** Whether a file holds them as well. */
  readonly isFiled: boolean
  /** To be called once when all of them are stored. */
  leave(): void
}

export interface LineOptions {
  readonly batch: number
  readonly maxInMemory: number
  /** For a line that says nothing any more. */
  readonly onDamaged: (line: LineAt) => void
}

export type Waiter = PromiseWithResolvers<void>

/** In memory alone. Somebody may wait until it is stored; one that is only owed is waited for by nobody. */
export interface Unfiled {
  readonly settlement: Settlement
  readonly waiter: Waiter | null
}

interface Waiting {
  readonly settlement: Settlement
  readonly segment: number
  /** How many bytes had been written when it was. */
  readonly writtenBefore: number
}

/** From here on, settlements are in the files alone. */
interface Far {
  readonly segment: number
  readonly offset: number
  readonly writtenBefore: number
}

/**
 * Settlements that wait for the database, in the order in which they were written. The first of them are in memory;
 * when those are too many, all later ones are read back from the files when their turn comes.
 */
export class WaitingLine {
  readonly #files: SegmentFiles
  readonly #options: LineOptions
  readonly #near: Waiting[] = []
  #far: Far | null = null
  #farCount = 0
  #unfiled: Unfiled[] = []
  #writtenBytes = 0
  /** When the first in line ended. */
  #oldestAtMs: number | null = null

  constructor(files: SegmentFiles, options: LineOptions) {
    this.#files = files
    this.#options = options
  }

  get count(): number {
    return this.#near.length + this.#farCount + this.#unfiled.length
  }

  /** How many are in memory alone, because no file took them. */
  get unfiledCount(): number {
    return this.#unfiled.length
  }

  /** Whether an answer is held back until one of these is stored. */
  get isAwaited(): boolean {
    return this.#unfiled.some(({ waiter }) => waiter !== null)
  }

  /** What was written to the files since the first in line. */
  get bytes(): number {
    const first = this.#near[0] ?? this.#far
    return first === null ? 0 : this.#writtenBytes - first.writtenBefore
  }

  /** The file of the first in line; null when no file holds anything that waits. */
  get firstSegment(): number | null {
    return (this.#near[0] ?? this.#far)?.segment ?? null
  }

  /** Since when the first in line waits. */
  get oldestAtMs(): number | null {
    return this.#oldestAtMs
  }

  /** These were just written there together, with or without lines of another kind. */
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

  /** No file took these. */
  addUnfiled(unfiled: readonly Unfiled[]): void {
    this.#unfiled.push(...unfiled)
    if (this.#oldestAtMs === null) this.#noteOldest()
  }

  /** Takes out all that no file holds; not while some of them are being stored. */
  takeUnfiled(): Unfiled[] {
    const taken = this.#unfiled
    this.#unfiled = []
    this.#noteOldest()
    return taken
  }

  /** Forgets those that somebody waits for, who is told that nothing was written: nobody is ever charged for them. */
  withdraw(error: unknown): void {
    const awaited = this.#unfiled.filter(({ waiter }) => waiter !== null)
    this.#unfiled = this.#unfiled.filter(({ waiter }) => waiter === null)
    this.#noteOldest()
    for (const { waiter } of awaited) waiter?.reject(error)
  }

  /** Those whose turn it is; null when none waits. What no file holds comes first: somebody waits for it. */
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
    // Of one that is in the files alone it is known when it is read back; until then it is no younger than this.
    else if (this.#far === null) this.#oldestAtMs = null
  }

  #readBack(): void {
    while (this.#near.length === 0 && this.#far !== null) this.#readPortion(this.#far)
  }

  /** Reads a portion of one file. Nothing is written meanwhile, so the end of the newest file is the end of the line. */
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

/** How much may wait for the database before nothing more is let in. */
export interface JournalBounds {
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly clock: Clock
}

/** Why nothing more may be admitted; null while there is room. Asked for every request, so it only compares. */
export function findRefusal(
  line: WaitingLine,
  { maxBytes, maxAgeMs, clock }: JournalBounds,
  isDatabaseFailing: boolean,
): string | null {
  const { oldestAtMs } = line
  if (oldestAtMs === null) return null
  if (line.bytes > maxBytes) {
    return `Records of earlier requests wait for the database and fill the journal's ${maxBytes} bytes; try again later.`
  }
  // Otherwise it is the clock that has moved, and all that waits is stored in a moment.
  if (isDatabaseFailing && clock.nowMs() - oldestAtMs > maxAgeMs) {
    return `Records of earlier requests have waited for the database for more than ${maxAgeMs / 1_000} seconds; try again later.`
  }
  return null
}
