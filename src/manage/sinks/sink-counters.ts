import { isDue } from '../../serve/is-due.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { SinkFigures, SinkStore } from '../ports/sinks.ts'

type Counts = { -readonly [Name in 'sent' | 'lost' | 'failedAttempts']: SinkFigures[Name] }

const NONE: Readonly<Counts> = { sent: 0, lost: 0, failedAttempts: 0 }

interface Backlog {
  readonly waiting: number
  readonly oldestAtMs: number | null
}

// What waits is counted line by line.
const COUNT_EVERY_MS = 15_000

/** Counts what this process sends, and keeps how much waited when it last looked. */
export class SinkCounters {
  readonly #storage: Pick<SinkStore, 'loadSinkProgress'>
  readonly #clock: Clock
  readonly #counts = new Map<string, Counts>()
  #backlogs: ReadonlyMap<string, Backlog> = new Map()
  #nextCountMs = Number.NEGATIVE_INFINITY

  constructor({ storage, clock }: { readonly storage: Pick<SinkStore, 'loadSinkProgress'>; clock: Clock }) {
    this.#storage = storage
    this.#clock = clock
  }

  add(sinkId: string, what: keyof Counts, by = 1): void {
    const counts = this.#counts.get(sinkId) ?? { ...NONE }
    counts[what] += by
    this.#counts.set(sinkId, counts)
  }

  /** Call it regularly. Rejects when the database does not answer. */
  async look(): Promise<void> {
    const nowMs = this.#clock.nowMs()
    if (!isDue(nowMs, this.#nextCountMs, COUNT_EVERY_MS)) return
    this.#nextCountMs = nowMs + COUNT_EVERY_MS
    this.#backlogs = await this.#storage.loadSinkProgress()
    // Otherwise sinks that come and go would fill the memory.
    for (const id of this.#counts.keys()) if (!this.#backlogs.has(id)) this.#counts.delete(id)
  }

  read(): SinkFigures[] {
    const nowMs = this.#clock.nowMs()
    return [...this.#backlogs].map(([sink, { waiting, oldestAtMs }]) => ({
      sink,
      waiting,
      oldestSeconds: oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs) / 1_000,
      ...(this.#counts.get(sink) ?? NONE),
    }))
  }
}
