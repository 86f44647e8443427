import { isDue } from '../../serve/is-due.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import {
  REFUSAL_COUNT_DAYS,
  type Refusal,
  type RefusalMinute,
} from '../../vocabulary/observability/refusal.ts'
import type { RefusalRecorder, RefusalStore, RefusedRequest } from '../ports/refusals.ts'

export interface RefusalParts {
  readonly storage: Pick<RefusalStore, 'saveRefusals' | 'deleteRefusals'>
  readonly clock: Clock
  readonly log: Log
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const DETAIL_DAYS = 2
const FLUSH_EVERY_MS = 2_000
/** How many refusals of one key and code are kept in detail each minute, so that many of one do not hide another. */
export const DETAILS_PER_MINUTE = 3
// What waits for the database is in memory.
const MAX_COUNTS = 10_000
const MAX_DETAILS = 1_000
const SWEEP_PORTION = 500
const LONGEST_MESSAGE = 500
const LONGEST_TEXT = 200

type Counter = { -readonly [Name in keyof RefusalMinute]: RefusalMinute[Name] } & { unsaved: number }

/**
 * Counts refused requests by key, code and minute, and keeps the first few of each in detail. Requests only touch
 * memory; the database is written in the background. Several processes add to the same rows.
 */
export class RefusalKeeping implements RefusalRecorder {
  readonly #parts: RefusalParts
  readonly #counters = new Map<string, Counter>()
  #details: Refusal[] = []
  #writing: Promise<void> | null = null
  #nextFlushMs = Number.NEGATIVE_INFINITY
  #isFailing = false
  #dropped = 0

  constructor(parts: RefusalParts) {
    this.#parts = parts
  }

  /** Refusals that were not kept because too many waited for the database. */
  get dropped(): number {
    return this.#dropped
  }

  note(refused: RefusedRequest): void {
    const { holder, error, isFlood } = refused
    const nowMs = this.#parts.clock.nowMs()
    const counter = this.#counterOf(holder, error.code, nowMs)
    if (counter === null) {
      this.#dropped += 1
      return
    }
    counter.count += 1
    counter.unsaved += 1
    counter.lastAtMs = nowMs
    if (holder === null || isFlood || counter.count > DETAILS_PER_MINUTE) return
    if (this.#details.length < MAX_DETAILS) this.#details.push(detailOf(refused, holder, nowMs))
  }

  /** Call it regularly. Never rejects. */
  async beat(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs()
    if (this.#counters.size === 0 || !isDue(nowMs, this.#nextFlushMs, FLUSH_EVERY_MS)) return
    this.#nextFlushMs = nowMs + FLUSH_EVERY_MS
    await this.flush()
  }

  /** Resolves when everything noted so far is written, or cannot be for now. Never rejects. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing
    this.#writing = this.#write().finally(() => {
      this.#writing = null
    })
    await this.#writing
  }

  /** Deletes what is too old. Never rejects. */
  async sweep(): Promise<void> {
    const { storage, clock, log } = this.#parts
    const nowMs = clock.nowMs()
    const before = { detailsMs: nowMs - DETAIL_DAYS * DAY_MS, countsMs: nowMs - REFUSAL_COUNT_DAYS * DAY_MS }
    try {
      while ((await storage.deleteRefusals(before, SWEEP_PORTION)) >= SWEEP_PORTION);
    } catch (error) {
      log.trouble('old refusals could not be deleted', error)
    }
  }

  #counterOf(holder: RefusedRequest['holder'], code: string, nowMs: number): Counter | null {
    const minuteMs = nowMs - (nowMs % MINUTE_MS)
    const { accountId, keyId } = holder ?? { accountId: '', keyId: '' }
    const place = `${minuteMs} ${keyId} ${code}`
    const known = this.#counters.get(place)
    if (known !== undefined) return known
    if (this.#counters.size >= MAX_COUNTS) return null
    const counter = { minuteMs, accountId, keyId, code, count: 0, lastAtMs: nowMs, unsaved: 0 }
    this.#counters.set(place, counter)
    return counter
  }

  async #write(): Promise<void> {
    const counters = [...this.#counters.values()].filter(({ unsaved }) => unsaved > 0)
    const details = this.#details
    this.#details = []
    try {
      if (counters.length > 0) {
        const rows = counters.map(({ unsaved, ...counter }) => ({ ...counter, count: unsaved }))
        await this.#parts.storage.saveRefusals(rows, details)
        for (const [place, { count }] of rows.entries()) {
          const counter = counters[place]
          if (counter !== undefined) counter.unsaved -= count
        }
      }
      this.#forgetOldMinutes()
      this.#isFailing = false
    } catch (error) {
      this.#details = [...details, ...this.#details].slice(0, MAX_DETAILS)
      // Logged once, not at every retry.
      if (!this.#isFailing) this.#parts.log.trouble('refusals wait for the database', error)
      this.#isFailing = true
    }
  }

  /** The counters of the current minute stay, because they limit how many are kept in detail. */
  #forgetOldMinutes(): void {
    const nowMs = this.#parts.clock.nowMs()
    const currentMs = nowMs - (nowMs % MINUTE_MS)
    for (const [place, { minuteMs, unsaved }] of this.#counters) {
      if (minuteMs !== currentMs && unsaved === 0) this.#counters.delete(place)
    }
  }
}

function detailOf(
  { requestId, method, path, error, model }: RefusedRequest,
  { accountId, keyId }: NonNullable<RefusedRequest['holder']>,
  atMs: number,
): Refusal {
  return {
    requestId,
    atMs,
    accountId,
    keyId,
    method,
    path: path.slice(0, LONGEST_TEXT),
    code: error.code,
    status: error.status,
    message: error.message.slice(0, LONGEST_MESSAGE),
    param: error.param?.slice(0, LONGEST_TEXT) ?? null,
    model: model?.slice(0, LONGEST_TEXT) ?? null,
  }
}
