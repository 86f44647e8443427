import type { Log } from '../../serve/ports/log.ts'
import type { WorkerProcess } from './spawn-worker.ts'

export interface SupervisorOptions {
  readonly workers: number
  readonly spawn: () => WorkerProcess
  /** Called when a worker has ended, whatever the reason. */
  readonly onEnded: (worker: WorkerProcess) => void
  /** Called when another worker has taken over from one that ended by itself, with its journal. */
  readonly onTakenOver: (ended: WorkerProcess) => Promise<void>
  /** How long workers may take to stop. */
  readonly patienceMs: number
  readonly log: Log
}

interface Seat {
  worker: WorkerProcess
  startedAtMs: number
  quickDeaths: number
}

// A worker that ran this long did not fail because of its start.
const QUICK_MS = 10_000
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000

/** Keeps a number of workers running until it is stopped. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #seats: Seat[] = []
  /** All running workers, including those that are stopping. */
  readonly #living = new Set<WorkerProcess>()
  #hasStarted = false
  #isStopping = false
  #replacing: Promise<void> | null = null

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /**
   * Resolves when all serve, or with false when they were stopped before. When one cannot serve, all are stopped, and
   * the promise rejects with its reason.
   */
  async start(): Promise<boolean> {
    for (let index = 0; index < this.#options.workers; index += 1) {
      this.#seats.push({ worker: this.#spawn(), startedAtMs: performance.now(), quickDeaths: 0 })
    }
    try {
      await Promise.all(this.#seats.map(({ worker }) => worker.ready))
    } catch (error) {
      if (this.#isStopping) return false
      await this.end()
      throw error
    }
    this.#hasStarted = true
    return true
  }

  /** Replaces all workers with new ones. When one of those cannot start, the old ones stay. */
  async replace(): Promise<void> {
    if (!this.#hasStarted || this.#isStopping) return
    this.#replacing ??= this.#replaceAll().finally(() => {
      this.#replacing = null
    })
    await this.#replacing
  }

  /** Resolves when every worker has finished its requests and ended. */
  stop(): Promise<void> {
    return this.#endAll({ type: 'leave', isReplaced: false })
  }

  /** Kills every worker. */
  end(): Promise<void> {
    return this.#endAll({ type: 'end' })
  }

  async #endAll(order: Parameters<WorkerProcess['order']>[0]): Promise<void> {
    this.#isStopping = true
    for (const worker of this.#living) worker.order(order)
    const timer = setTimeout(() => {
      for (const worker of this.#living) worker.kill()
    }, this.#options.patienceMs)
    await Promise.all([...this.#living].map((worker) => worker.exited))
    clearTimeout(timer)
  }

  #spawn(): WorkerProcess {
    const worker = this.#options.spawn()
    this.#living.add(worker)
    void this.#attend(worker)
    return worker
  }

  async #replaceAll(): Promise<void> {
    const { log } = this.#options
    log.notice('replacing workers', { workers: this.#seats.length })
    const fresh = this.#seats.map(() => this.#spawn())
    const starts = await Promise.allSettled(fresh.map((worker) => worker.ready))
    const failed = starts.find((start) => start.status === 'rejected')
    if (failed !== undefined || this.#isStopping) {
      for (const worker of fresh) worker.order({ type: 'end' })
      if (failed !== undefined) log.trouble('workers stay, since new ones could not start', failed.reason)
      return
    }
    for (const [index, worker] of fresh.entries()) this.#seatAnew(this.#seats[index], worker)
    log.notice('replaced workers', { workers: fresh.length })
  }

  #seatAnew(seat: Seat | undefined, fresh: WorkerProcess): void {
    // A new worker that has ended meanwhile is not a replacement.
    if (seat === undefined || !this.#living.has(fresh)) return
    const old = seat.worker
    seat.worker = fresh
    seat.startedAtMs = performance.now()
    seat.quickDeaths = 0
    old.order({ type: 'leave', isReplaced: true })
    const timer = setTimeout(() => old.kill(), this.#options.patienceMs)
    void old.exited.then(() => clearTimeout(timer))
  }

  async #attend(worker: WorkerProcess): Promise<void> {
    const code = await worker.exited
    this.#living.delete(worker)
    this.#options.onEnded(worker)
    const seat = this.#seats.find((one) => one.worker === worker)
    // A replaced worker is expected to end.
    if (seat === undefined || this.#isStopping || !this.#hasStarted) return
    const isQuick = performance.now() - seat.startedAtMs < QUICK_MS
    seat.quickDeaths = isQuick ? seat.quickDeaths + 1 : 1
    const pauseMs = pauseAfter(seat.quickDeaths)
    const reason = await worker.ready.then(
      () => new Error('It had served before.'),
      (error: unknown) => error,
    )
    this.#options.log.trouble(
      `worker ${worker.slot} ended with code ${code}; another starts in ${pauseMs} ms`,
      reason,
    )
    setTimeout(() => this.#startAgain(seat, worker), pauseMs)
  }

  #startAgain(seat: Seat, ended: WorkerProcess): void {
    if (this.#isStopping || seat.worker !== ended) return
    const worker = this.#spawn()
    seat.worker = worker
    seat.startedAtMs = performance.now()
    worker.ready
      .then(
        () => this.#options.onTakenOver(ended),
        // Its end is handled where it is watched.
        () => {},
      )
      .catch((error: unknown) => this.#options.log.trouble('releasing what a worker held', error))
  }
}

/** The first failed worker is replaced at once. Repeated failures wait, to spare the machine. */
export function pauseAfter(quickDeaths: number): number {
  if (quickDeaths <= 1) return 0
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (quickDeaths - 2))
}
