import { isDue } from '../serve/is-due.ts'
import type { Log } from '../serve/ports/log.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { Storage } from './ports/storage.ts'

export interface Job {
  readonly name: string
  /** It runs once in every period of the clock: an hour is one that begins at a full hour UTC. */
  readonly periodMs: number
  run(): Promise<unknown>
}

export interface JobSurroundings {
  readonly storage: Pick<Storage, 'unlessRunning' | 'findLastRunMs' | 'saveLastRunMs'>
  readonly clock: Clock
  readonly log: Log
}

// After a failure, or while another node runs it.
const SECOND_LOOK_MS = 60_000

/**
 * A job of all nodes together: one of them runs it, once in each period. The storage keeps when it last ran, so a start
 * in the middle of a period runs it only when it was missed.
 */
export class ScheduledJob {
  readonly #job: Job
  readonly #surroundings: JobSurroundings
  #nextLookMs = Number.NEGATIVE_INFINITY
  #running: Promise<void> | null = null
  #isStopped = false

  constructor(job: Job, surroundings: JobSurroundings) {
    this.#job = job
    this.#surroundings = surroundings
  }

  /** To be called every now and then; costs nothing while nothing is due. Resolves when what it started has ended. */
  beat(): Promise<void> {
    const mostMs = Math.max(this.#job.periodMs, SECOND_LOOK_MS)
    const isTime = isDue(this.#surroundings.clock.nowMs(), this.#nextLookMs, mostMs)
    if (isTime && !this.#isStopped && this.#running === null) {
      this.#running = this.#look().finally(() => {
        this.#running = null
      })
    }
    return this.#running ?? Promise.resolve()
  }

  /** Lets a run that is under way end, and begins no other. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #look(): Promise<void> {
    const { storage, clock, log } = this.#surroundings
    const { name, periodMs } = this.#job
    const nowMs = clock.nowMs()
    this.#nextLookMs = nowMs + SECOND_LOOK_MS
    try {
      const isDone = await storage.unlessRunning(name, () => this.#runWhenDue(nowMs))
      if (isDone) this.#nextLookMs = (periodOf(nowMs, periodMs) + 1) * periodMs
    } catch (error) {
      log.trouble(`the job "${name}" failed and will be tried again`, error)
    }
  }

  async #runWhenDue(nowMs: number): Promise<true> {
    const { storage } = this.#surroundings
    const { name, periodMs } = this.#job
    if (isMissing(await storage.findLastRunMs(name), nowMs, periodMs)) {
      await this.#job.run()
      await storage.saveLastRunMs(name, nowMs)
    }
    return true
  }
}

function isMissing(lastRunMs: number | null, nowMs: number, periodMs: number): boolean {
  if (lastRunMs === null) return true
  // A run far in the future is that of a clock that was wrong; to wait for it could take years.
  return periodOf(nowMs, periodMs) > periodOf(lastRunMs, periodMs) || lastRunMs > nowMs + periodMs
}

function periodOf(timeMs: number, periodMs: number): number {
  return Math.floor(timeMs / periodMs)
}
