import type { Journal } from '../../gateway/ports/journal.ts'
import { encodeJournalLine, settlementsOf } from '../../rules/ledger/journal-line.ts'
import type { AdmissionRecord, Settlement } from '../../vocabulary/settlement.ts'
import { type BatchKeeper, persistBatch } from './persist-batch.ts'
import { SegmentFiles } from './segment-files.ts'

export interface JournalOptions {
  readonly folder: string
  /** Moves settlements to the database; may be given the same settlement twice. */
  readonly persist: (settlements: readonly Settlement[]) => Promise<void>
  /** Whether the database will never take what it was given; what failed otherwise is tried again. */
  readonly isRefusal: (error: unknown) => boolean
  /** `always` survives a power cut; `never` survives any end of the process. */
  readonly fsync: 'always' | 'never'
  readonly onTrouble: (error: unknown, waiting: number) => void
  /** How large a segment grows before the next one is begun. */
  readonly segmentBytes?: number
}

const SEGMENT_BYTES = 8 * 1024 * 1024
// Most quick requests are settled before this, and then their admission need not be written at all.
const ADMISSION_FLUSH_MS = 5
const PERSIST_EVERY_MS = 200
const PERSIST_BATCH = 200
const RETRY_MS = [200, 500, 1_000, 2_000, 5_000]

// What most settlements wait for; one promise serves them all.
const WRITTEN = Promise.resolve()

/** Lines whose settlement is not in the database yet, per segment; a segment is removed when it has none. */
type Outstanding = Map<number, number>

/**
 * Append-only files and the writer that empties them into the database. With `fsync` there is one write per turn of
 * the event loop, whatever the number of requests that settle in it.
 */
export class FileJournal implements Journal {
  readonly #options: JournalOptions
  readonly #files: SegmentFiles
  readonly #outstanding: Outstanding = new Map()
  /** Admissions that no file holds yet. */
  readonly #unwritten = new Map<string, AdmissionRecord>()
  readonly #openedIn = new Map<string, number>()
  #pending: string[] = []
  #waiters: PromiseWithResolvers<void>[] = []
  /** Those whose settlement could not be written to the file: the database is the only safe place left for it. */
  #stranded: PromiseWithResolvers<void>[] = []
  #flushTimer: Timer | null = null
  #isFlushScheduled = false
  #segmentBytes = 0
  #queue: { settlement: Settlement; segment: number }[] = []
  #persistTimer: Timer | null = null
  #isPersistDue = false
  #persisting: Promise<void> | null = null
  #failures = 0
  #isClosed = false

  /** Moves what an earlier process left behind into the database, then opens a fresh segment. */
  static async start(options: JournalOptions): Promise<FileJournal> {
    const files = new SegmentFiles(options.folder)
    const left = files.numbers()
    const settlements = settlementsOf(left.flatMap((number) => files.read(number)))
    for (let first = 0; first < settlements.length; first += PERSIST_BATCH) {
      await persistBatch(settlements.slice(first, first + PERSIST_BATCH), keeperOf(options, files))
    }
    for (const number of left) files.remove(number)
    return new FileJournal(options, files)
  }

  private constructor(options: JournalOptions, files: SegmentFiles) {
    this.#options = options
    this.#files = files
    files.startNext()
  }

  open(record: AdmissionRecord): void {
    this.#unwritten.set(record.requestId, record)
    // Left to fire even when all of them are settled by then: setting a timer anew costs more than the look.
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = null
      this.#writeAdmissions()
      this.#flush()
    }, ADMISSION_FLUSH_MS)
  }

  #writeAdmissions(): void {
    for (const record of this.#unwritten.values()) {
      this.#pending.push(encodeJournalLine({ type: 'open', record }))
      this.#openedIn.set(record.requestId, this.#files.current)
      this.#count(this.#files.current, 1)
    }
    this.#unwritten.clear()
  }

  settle(settlement: Settlement): Promise<void> {
    this.#unwritten.delete(settlement.requestId)
    this.#pending.push(encodeJournalLine({ type: 'settled', settlement }))
    const segment = this.#files.current
    this.#count(segment, 1)
    this.#queue.push({ settlement, segment })
    this.#schedulePersist(this.#queue.length >= PERSIST_BATCH ? 0 : PERSIST_EVERY_MS)
    // A write into the system's memory costs less than waiting for company; one to the disk is worth sharing.
    const trouble = this.#options.fsync === 'never' ? this.#write() : null
    if (this.#pending.length === 0 && trouble === null) return WRITTEN
    const waiter = Promise.withResolvers<void>()
    if (trouble !== null) this.#strand([waiter], trouble.cause)
    else this.#flushSoon(waiter)
    return waiter.promise
  }

  #flushSoon(waiter: PromiseWithResolvers<void>): void {
    this.#waiters.push(waiter)
    if (this.#isFlushScheduled) return
    this.#isFlushScheduled = true
    setImmediate(() => this.#flush())
  }

  /** How many settlements are in the journal but not yet in the database. */
  get waiting(): number {
    return this.#queue.length
  }

  /** When the one that has waited longest began; null when none waits. */
  get oldestAtMs(): number | null {
    return this.#queue[0]?.settlement.startedAtMs ?? null
  }

  /** Empties what is settled so far into the database; what cannot be written now stays and is tried again. */
  async catchUp(): Promise<void> {
    await this.#persisting
    if (this.#queue.length === 0 || this.#isClosed) return
    if (this.#persistTimer !== null) clearTimeout(this.#persistTimer)
    if (this.#persisting === null) this.#persist()
    await this.#persisting
  }

  /** Writes everything to the database and closes; what cannot be written stays for the next start. */
  async close(): Promise<void> {
    this.#writeAdmissions()
    this.#flush()
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer)
    this.#isClosed = true
    if (this.#persistTimer !== null) clearTimeout(this.#persistTimer)
    await this.#persisting
    await this.#drain().catch((error) => this.#options.onTrouble(error, this.#queue.length))
    this.#files.close()
    if (this.#queue.length === 0 && this.#openedIn.size === 0) this.#files.remove(this.#files.current)
  }

  #flush(): void {
    this.#isFlushScheduled = false
    const waiters = this.#waiters
    this.#waiters = []
    const trouble = this.#write()
    if (trouble !== null) this.#strand(waiters, trouble.cause)
    else for (const waiter of waiters) waiter.resolve()
  }

  /** Writes what is pending; gives what stood in the way, null when nothing did. */
  #write(): { readonly cause: unknown } | null {
    const lines = this.#pending
    if (lines.length === 0) return null
    this.#pending = []
    try {
      this.#segmentBytes += this.#files.append(lines, this.#options.fsync === 'always')
    } catch (cause) {
      return { cause }
    }
    if (this.#segmentBytes >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) this.#startNextSegment()
    return null
  }

  /** A disk that takes nothing delays answers until the database has their settlements; it does not fail them. */
  #strand(waiters: PromiseWithResolvers<void>[], error: unknown): void {
    if (this.#isClosed) {
      for (const waiter of waiters) waiter.reject(error)
      return
    }
    this.#options.onTrouble(error, this.#queue.length)
    this.#stranded.push(...waiters)
    this.#schedulePersist(0)
  }

  #endStranded(stranded: readonly PromiseWithResolvers<void>[], error: unknown): void {
    for (const waiter of stranded) {
      if (error === null) waiter.resolve()
      else waiter.reject(error)
    }
  }

  #startNextSegment(): void {
    this.#files.startNext()
    this.#segmentBytes = 0
    this.#removeDone()
  }

  #schedulePersist(delayMs: number): void {
    if (this.#isClosed || this.#persisting !== null) return
    if (this.#persistTimer !== null) {
      if (delayMs > 0 || this.#isPersistDue) return
      clearTimeout(this.#persistTimer)
    }
    this.#isPersistDue = delayMs === 0
    this.#persistTimer = setTimeout(() => this.#persist(), delayMs)
  }

  #persist(): void {
    this.#persistTimer = null
    this.#isPersistDue = false
    const stranded = this.#stranded
    this.#stranded = []
    this.#persisting = this.#drain()
      .then(() => {
        this.#failures = 0
        this.#endStranded(stranded, null)
      })
      .catch((error) => {
        this.#options.onTrouble(error, this.#queue.length)
        this.#failures += 1
        this.#endStranded(stranded, error)
      })
      .finally(() => {
        this.#persisting = null
        if (this.#stranded.length > 0) this.#schedulePersist(0)
        else if (this.#queue.length > 0) this.#schedulePersist(this.#retryDelayMs())
      })
  }

  #retryDelayMs(): number {
    if (this.#failures === 0) return PERSIST_EVERY_MS
    return RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? PERSIST_EVERY_MS
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, PERSIST_BATCH)
      const settlements = batch.map((entry) => entry.settlement)
      await persistBatch(settlements, keeperOf(this.#options, this.#files))
      this.#queue.splice(0, batch.length)
      for (const { settlement, segment } of batch) {
        this.#count(segment, -1)
        this.#forgetAdmission(settlement.requestId)
      }
      this.#removeDone()
    }
  }

  #forgetAdmission(requestId: string): void {
    const segment = this.#openedIn.get(requestId)
    if (segment === undefined) return
    this.#openedIn.delete(requestId)
    this.#count(segment, -1)
  }

  #count(segment: number, change: number): void {
    this.#outstanding.set(segment, (this.#outstanding.get(segment) ?? 0) + change)
  }

  #removeDone(): void {
    for (const [segment, lines] of this.#outstanding) {
      if (lines > 0 || segment === this.#files.current) continue
      this.#outstanding.delete(segment)
      this.#files.remove(segment)
    }
  }
}

function keeperOf({ persist, isRefusal, onTrouble }: JournalOptions, files: SegmentFiles): BatchKeeper {
  return {
    persist,
    isRefusal,
    setAside: (settlement, error) => {
      files.setAside(encodeJournalLine({ type: 'settled', settlement }))
      onTrouble(new Error(`settlement ${settlement.requestId} is set aside`, { cause: error }), 1)
    },
  }
}
