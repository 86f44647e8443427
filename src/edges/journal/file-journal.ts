import { encodeJournalLine } from '../../rules/ledger/journal-line.ts'
import type { Journal } from '../../serve/ports/journal.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { AdmissionRecord, Settlement } from '../../vocabulary/settlement.ts'
import { CatchUps } from './catch-ups.ts'
import { DiskWatch } from './disk-watch.ts'
import { type FolderLock, lockFolder } from './folder-lock.ts'
import { type BatchKeeper, nextTurn, persistBatch } from './persist-batch.ts'
import type { LineAt } from './read-lines.ts'
import { type DamagedLine, damagedLine, type Recovered, recoverFolder, takeOverJournals } from './recover.ts'
import { SegmentFiles } from './segment-files.ts'
import { SettlementQueue, type Waiter } from './settlement-queue.ts'
import { UnwrittenAdmissions } from './unwritten-admissions.ts'

export interface JournalOptions {
  readonly folder: string
  /** Moves settlements to the database; may receive the same settlement twice. */
  readonly persist: (settlements: readonly Settlement[]) => Promise<void>
  /** Whether the database will never accept the settlement; other failures are retried. */
  readonly isRefusal: (error: unknown) => boolean
  /** `always` survives a power cut if the database does; `never` survives only a crash of the process. */
  readonly fsync: 'always' | 'never'
  readonly onTrouble: (error: unknown, waiting: number) => void
  /** Called for an unreadable line, which was kept aside. */
  readonly onDamaged?: (line: DamagedLine) => void
  /** Called for a settlement that the database will never accept, so that nothing waits for it. */
  readonly onSetAside?: (settlement: Settlement) => void
  /** Without bounds, the journal never refuses for its size or age. */
  readonly bounds?: JournalBounds
  /**
   * The folder that may contain journals of other processes. This journal is then locked, and this start also stores what
   * processes that no longer run have left.
   */
  readonly dataFolder?: string
  /** Called with what a start has found in its own folder or in that of another process. */
  readonly onRecovered?: (folder: string, recovered: Recovered) => void
  /** How long a start waits for its folder while another process stores what was left there. */
  readonly lockPatienceMs?: number
  /** The size at which the next segment starts. */
  readonly segmentBytes?: number
  /** How many settlements may wait in memory; the rest wait in the files only. */
  readonly maxInMemory?: number
}

/** How much may wait for the database before requests are refused. */
export interface JournalBounds {
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly clock: Clock
}

const SEGMENT_BYTES = 8 * 1024 * 1024
// Each takes about 3 KB at most.
const MAX_IN_MEMORY = 10_000
const LOCK_PATIENCE_MS = 60_000
const PERSIST_EVERY_MS = 200
// A batch that is due begins so long after the one before: under a load that fills small ones faster, larger ones cost less.
const PERSIST_APART_MS = 30
// Large enough to share the cost of a transaction, small enough that preparing it takes a millisecond or two; a power of
// two is written with the fewest statements.
const PERSIST_BATCH = 512
const RETRY_MS = [200, 500, 1_000, 2_000, 5_000]

interface JournalParts {
  readonly files: SegmentFiles
  readonly lock: FolderLock | null
}

/** Settlements that could not be written to a file, and why. */
interface Unwritten {
  readonly cause: unknown
  readonly settlements: readonly Settlement[]
}

/**
 * Append-only files and the writer that moves their content to the database. With `fsync` there is one write per turn of
 * the event loop, however many requests settle in it.
 */
export class FileJournal implements Journal {
  readonly #options: JournalOptions
  readonly #files: SegmentFiles
  readonly #lock: FolderLock | null
  readonly #queue: SettlementQueue
  readonly #unwritten = new UnwrittenAdmissions((records) => {
    for (const record of records) {
      this.#pending.push(encodeJournalLine({ type: 'open', record }))
      this.#files.keepFor(record.requestId)
    }
    this.#flush()
  })
  /** Lines for the next write, and the settlements among them. */
  #pending: string[] = []
  #settling: Settlement[] = []
  /** One per settlement when they are not written at once. */
  #waiters: Waiter[] = []
  #isFlushScheduled = false
  readonly #disk: DiskWatch
  #persistTimer: Timer | null = null
  #persistDueAtMs = 0
  /** When the last batch began. */
  #persistedAtMs = Number.NEGATIVE_INFINITY
  #persisting: Promise<void> | null = null
  readonly #catchUps = new CatchUps()
  #failures = 0
  #isClosed = false

  /** Moves what earlier processes left to the database, then opens a new segment. */
  static async start(options: JournalOptions): Promise<FileJournal> {
    const { folder, dataFolder, lockPatienceMs = LOCK_PATIENCE_MS } = options
    const isSynced = options.fsync === 'always'
    const lock = dataFolder === undefined ? null : await lockFolder(folder, lockPatienceMs)
    try {
      const files = new SegmentFiles(folder, { isSynced })
      await recoverLeft(files, options)
      if (dataFolder !== undefined) {
        await takeOverJournals({ dataFolder, isSynced }, (left, from) =>
          recoverLeft(left, { ...options, folder: from }),
        )
      }
      return new FileJournal(options, { files, lock })
    } catch (error) {
      lock?.release()
      throw error
    }
  }

  private constructor(options: JournalOptions, { files, lock }: JournalParts) {
    this.#options = options
    this.#files = files
    this.#lock = lock
    const { maxInMemory = MAX_IN_MEMORY } = options
    const onDamaged = (line: LineAt) => keepDamaged(line, files, options)
    this.#queue = new SettlementQueue(files, { batch: PERSIST_BATCH, maxInMemory, onDamaged })
    files.startNext()
    const { folder } = options
    this.#disk = new DiskWatch({ folder, probe: () => files.probe(), onWell: () => this.#fileUnfiled() })
  }

  open(record: AdmissionRecord): void {
    this.#unwritten.add(record)
  }

  settle(settlement: Settlement): Promise<void> | null {
    this.#unwritten.remove(settlement.requestId)
    this.#pending.push(encodeJournalLine({ type: 'settled', settlement }))
    this.#settling.push(settlement)
    // Without fsync, writing at once is cheaper than batching; a synced write is worth sharing.
    const unwritten = this.#options.fsync === 'never' ? this.#write() : null
    if (this.#pending.length === 0 && unwritten === null) return null
    const waiter = Promise.withResolvers<void>()
    if (unwritten !== null) this.#waitForDatabase(unwritten, [waiter])
    else this.#flushSoon(waiter)
    return waiter.promise
  }

  #flushSoon(waiter: Waiter): void {
    this.#waiters.push(waiter)
    if (this.#isFlushScheduled) return
    this.#isFlushScheduled = true
    setImmediate(() => this.#flush())
  }

  owe(settlement: Settlement): void {
    this.#queue.addUnfiled([{ settlement, waiter: null }])
    this.#persistAt(performance.now() + this.#retryDelayMs())
  }

  /** Why requests are refused, in one sentence; null while there is room. Cheap enough for every request. */
  refusal(): string | null {
    if (this.#disk.refusal !== null) return this.#disk.refusal
    const { bounds } = this.#options
    const { oldestAtMs } = this.#queue
    if (bounds === undefined || oldestAtMs === null) return null
    const { maxBytes, maxAgeMs, clock } = bounds
    if (this.#queue.bytes > maxBytes) {
      return `The journal is full: records of earlier requests wait for the database (limit ${maxBytes} bytes). Try again later.`
    }
    // While the database works, only the clock has moved, and everything is stored in a moment.
    if (this.#failures > 0 && clock.nowMs() - oldestAtMs > maxAgeMs) {
      return `Records of earlier requests have waited for the database for more than ${maxAgeMs / 1_000} seconds. Try again later.`
    }
    return null
  }

  /** How many settlements are in the journal but not yet in the database. */
  get waiting(): number {
    return this.#queue.count
  }

  /** Bytes written since the first waiting settlement. */
  get waitingBytes(): number {
    return this.#queue.bytes
  }

  /** When the oldest waiting settlement ended; null when none waits. */
  get oldestAtMs(): number | null {
    return this.#queue.oldestAtMs
  }

  /** Whether the disk cannot be written or is nearly full. */
  get isDiskFailing(): boolean {
    return this.#disk.refusal !== null
  }

  /** Stores all settlements so far; what cannot be stored now stays and is retried. */
  async catchUp(): Promise<void> {
    if (this.waiting === 0 || this.#isClosed) return
    // Those that are in no file come first in any case.
    const left = this.waiting - this.#queue.unfiledCount
    const caughtUp = this.#catchUps.add({ left, hasJoined: this.#persisting !== null })
    if (this.#persistTimer !== null) clearTimeout(this.#persistTimer)
    if (this.#persisting === null) this.#persist()
    await caughtUp
  }

  /** Stores everything and closes; what cannot be stored stays for the next start. */
  async close(): Promise<void> {
    this.#unwritten.writeAll()
    this.#disk.stop()
    this.#isClosed = true
    if (this.#persistTimer !== null) clearTimeout(this.#persistTimer)
    await this.#persisting
    this.#fileUnfiled()
    await this.#drain(() => false).catch((error) => {
      this.#options.onTrouble(error, this.waiting)
      this.#queue.withdraw(error)
    })
    this.#catchUps.endAll()
    this.#files.close()
    if (this.waiting === 0 && !this.#files.hasOpenAdmissions) this.#files.remove(this.#files.current)
    this.#lock?.release()
  }

  #flush(): void {
    this.#isFlushScheduled = false
    const waiters = this.#waiters
    this.#waiters = []
    const unwritten = this.#write()
    if (unwritten !== null) this.#waitForDatabase(unwritten, waiters)
    else for (const waiter of waiters) waiter.resolve()
  }

  /** Writes the pending lines. Returns what could not be written, or null. */
  #write(): Unwritten | null {
    const lines = this.#pending
    if (lines.length === 0) return null
    const settlements = this.#settling
    this.#pending = []
    this.#settling = []
    try {
      this.#queue.add(settlements, this.#files.append(lines))
    } catch (cause) {
      this.#disk.noteFailed()
      return { cause, settlements }
    }
    // From now on the settlement itself is in a file.
    for (const { requestId } of settlements) this.#files.release(requestId)
    if (settlements.length > 0) {
      const isDue = this.#queue.isBatchDue && this.#failures === 0
      this.#persistAt(
        isDue ? this.#persistedAtMs + PERSIST_APART_MS : performance.now() + this.#retryDelayMs(),
      )
    }
    if (this.#files.currentBytes >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) this.#startNextSegment()
    return null
  }

  /** While the disk fails, answers wait for the database. They fail only when both do. */
  #waitForDatabase({ cause, settlements }: Unwritten, waiters: readonly Waiter[]): void {
    if (this.#isClosed) {
      for (const waiter of waiters) waiter.reject(cause)
      return
    }
    this.#queue.addUnfiled(
      settlements.map((settlement, index) => ({ settlement, waiter: waiters[index] ?? null })),
    )
    this.#options.onTrouble(cause, this.waiting)
    this.#persistAt(performance.now())
  }

  /** Writes settlements that are only in memory to the file as soon as possible: a crash would lose them. */
  #fileUnfiled(): void {
    if (this.#queue.unfiledCount === 0 || this.#persisting !== null) return
    const unfiled = this.#queue.takeUnfiled()
    for (const { settlement } of unfiled) {
      this.#pending.push(encodeJournalLine({ type: 'settled', settlement }))
      this.#settling.push(settlement)
    }
    if (this.#write() !== null) this.#queue.addUnfiled(unfiled)
    else for (const { waiter } of unfiled) waiter?.resolve()
  }

  #startNextSegment(): void {
    try {
      this.#files.startNext()
    } catch (error) {
      this.#options.onTrouble(error, this.waiting)
      return
    }
    this.#removeDone()
  }

  /** Stores what waits at this time, unless that is scheduled for an earlier one. */
  #persistAt(dueAtMs: number): void {
    if (this.#isClosed || this.#persisting !== null) return
    if (this.#persistTimer !== null) {
      if (dueAtMs >= this.#persistDueAtMs) return
      clearTimeout(this.#persistTimer)
    }
    this.#persistDueAtMs = dueAtMs
    this.#persistTimer = setTimeout(() => this.#persist(), Math.max(0, dueAtMs - performance.now()))
  }

  #persist(): void {
    this.#persistTimer = null
    this.#persistedAtMs = performance.now()
    this.#persisting = this.#drain(() => this.#isEnough())
      .then(() => {
        this.#failures = 0
        // Somebody may have come after the last batch; what they wait for is stored next.
        if (this.waiting === 0) this.#catchUps.endAll()
      })
      .catch((error) => {
        this.#options.onTrouble(error, this.waiting)
        this.#failures += 1
        this.#queue.withdraw(error)
        this.#catchUps.noteFailed()
      })
      .finally(() => {
        this.#persisting = null
        if (!this.isDiskFailing) this.#fileUnfiled()
        if (this.#queue.isAwaited || this.#catchUps.count > 0) this.#persistAt(performance.now())
        else if (this.waiting > 0) this.#persistAt(performance.now() + this.#retryDelayMs())
      })
  }

  /** Small batches cost nearly as much as large ones, so few settlements wait for more, unless somebody wants them. */
  #isEnough(): boolean {
    const isWanted = this.#catchUps.count > 0 || this.#queue.unfiledCount > 0
    return !this.#queue.isBatchDue && !isWanted
  }

  #retryDelayMs(): number {
    if (this.#failures === 0) return PERSIST_EVERY_MS
    return RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? PERSIST_EVERY_MS
  }

  async #drain(isEnough: () => boolean): Promise<void> {
    for (let batch = this.#queue.next(); batch !== null; batch = this.#queue.next()) {
      const { settlements, isFiled } = batch
      await persistBatch(settlements, keeperOf(this.#options, this.#files))
      batch.done()
      if (!isFiled) for (const { requestId } of settlements) this.#files.release(requestId)
      this.#removeDone()
      this.#catchUps.noteStored(isFiled ? settlements.length : 0, this.#queue.unfiledCount === 0)
      if (isEnough()) return
      await nextTurn()
    }
  }

  /** Settlements are stored in file order, so all files before that of the first waiting one are done. */
  #removeDone(): void {
    this.#files.removeBefore(this.#queue.firstSegment ?? this.#files.current)
  }
}

async function recoverLeft(files: SegmentFiles, options: JournalOptions): Promise<void> {
  const keeper = keeperOf(options, files)
  const recovered = await recoverFolder(files, {
    store: (batch) => persistBatch(batch, keeper),
    onDamaged: (line) => keepDamaged(line, files, options),
  })
  options.onRecovered?.(options.folder, recovered)
}

function keepDamaged(line: LineAt, files: SegmentFiles, { onDamaged }: JournalOptions): void {
  const keptIn = files.keepDamaged(line)
  onDamaged?.(damagedLine(line, keptIn))
}

function keeperOf(options: JournalOptions, files: SegmentFiles): BatchKeeper {
  const { persist, isRefusal, onTrouble, onSetAside } = options
  return {
    persist,
    isRefusal,
    setAside: (settlement, error) => {
      files.setAside(encodeJournalLine({ type: 'settled', settlement }))
      onSetAside?.(settlement)
      onTrouble(
        new Error(
          `The database refused settlement ${settlement.requestId}. It was set aside in the journal folder.`,
          { cause: error },
        ),
        1,
      )
    },
  }
}
