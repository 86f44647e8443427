import { signWebhook } from '../../rules/alerts/alert-rules.ts'
import { isDue } from '../../serve/is-due.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Sink } from '../../vocabulary/observability/sink.ts'
import type { SendWebhook } from '../ports/alerts.ts'
import type { SinkBatch, SinkState, SinkStore, WriteSinkFile } from '../ports/sinks.ts'
import type { Storage } from '../ports/storage.ts'
import { SinkCounters } from './sink-counters.ts'
import { filePathOf, writeLines } from './sink-lines.ts'

export interface SinkParts {
  readonly storage: Pick<
    SinkStore,
    'loadSinks' | 'loadSinkStates' | 'loadSinkProgress' | 'loadSinkBatch' | 'endSinkTry' | 'dropOldSinkLines'
  > &
    Pick<Storage, 'unlessRunning'>
  readonly send: SendWebhook
  readonly writeFile: WriteSinkFile
  readonly clock: Clock
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  readonly log: Log
}

const JOB = 'sinks'
const LOOK_EVERY_MS = 1_000
const MAX_LINES = 500
// Then other sinks and other nodes get a turn.
const MAX_BATCHES = 50
const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 5 * 60_000
const JITTER = 0.2
// Lines wait in the database this long for a sink that does not take them.
export const BACKLOG_DAYS = 14
const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Sends what is stored to sinks, on one node at a time. Each sink gets batch after batch in the order in which the lines
 * were stored; a batch is forgotten when the sink has taken it. A crash in between sends it again.
 */
export class SinkSender {
  readonly counters: SinkCounters
  readonly #parts: SinkParts
  readonly #ending = new AbortController()
  #running: Promise<void> | null = null
  #nextLookMs = Number.NEGATIVE_INFINITY
  #isFailing = false

  constructor(parts: SinkParts) {
    this.#parts = parts
    this.counters = new SinkCounters(parts)
  }

  /** Call it regularly. Starts what is due and does not wait for it; never rejects. */
  beat(): void {
    const nowMs = this.#parts.clock.nowMs()
    if (this.#running !== null || this.#ending.signal.aborted) return
    if (!isDue(nowMs, this.#nextLookMs, LOOK_EVERY_MS)) return
    this.#nextLookMs = nowMs + LOOK_EVERY_MS
    void this.send()
  }

  /** Sends what is due. Resolves when it is done; never rejects. */
  send(): Promise<void> {
    this.#running ??= this.#send().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Deletes what has waited too long. Never rejects. */
  async sweep(): Promise<void> {
    const { storage, clock, log } = this.#parts
    try {
      const dropped = await storage.dropOldSinkLines(clock.nowMs() - BACKLOG_DAYS * DAY_MS)
      for (const [sink, lines] of dropped) {
        this.counters.add(sink, 'lost', lines)
        log.notice('lines for a sink were given up', { sink, lines })
      }
    } catch (error) {
      log.trouble('old lines for sinks could not be deleted', error)
    }
  }

  /** Aborts a batch in flight; it is sent again after the next start. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #send(): Promise<void> {
    const { storage, log } = this.#parts
    try {
      const sinks = (await storage.loadSinks()).filter(({ enabled }) => enabled)
      await this.counters.look()
      if (sinks.length === 0) return
      await storage.unlessRunning(JOB, async () => {
        const states = await storage.loadSinkStates()
        await Promise.all(sinks.map((sink) => this.#drain(sink, states.get(sink.id))))
      })
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) log.trouble('sinks wait for the database', error)
      this.#isFailing = true
    }
  }

  /** Sends batches until nothing is left, or one fails. */
  async #drain(sink: Sink, state: SinkState | undefined): Promise<void> {
    const { storage, clock, log } = this.#parts
    const { failures = 0, nextTryAtMs = null } = state ?? {}
    if (nextTryAtMs !== null && !isDue(clock.nowMs(), nextTryAtMs, LONGEST_DELAY_MS)) return
    for (let batches = 0; batches < MAX_BATCHES && !this.#ending.signal.aborted; batches += 1) {
      const batch = await storage.loadSinkBatch(sink.id, MAX_LINES)
      if (batch === null || this.#mayWait(sink, batch)) return
      const failure = await this.#deliver(sink, batch)
      if (failure === null) {
        await storage.endSinkTry(sink.id, { type: 'sent', batch, atMs: clock.nowMs() })
        this.counters.add(sink.id, 'sent', batch.settlements.length + batch.events.length)
        this.counters.add(sink.id, 'lost', batch.missing)
        continue
      }
      if (this.#ending.signal.aborted) return
      this.counters.add(sink.id, 'failedAttempts')
      if (failures === 0) log.notice('a sink fails', { sink: sink.id, failure })
      const nextTryAtMs = clock.nowMs() + this.#delayMs(failures)
      await storage.endSinkTry(sink.id, { type: 'failed', failure, failures: failures + 1, nextTryAtMs })
      return
    }
  }

  /** Few lines wait for others. */
  #mayWait({ waitSeconds }: Sink, { isFull, oldestAtMs }: SinkBatch): boolean {
    const ageMs = this.#parts.clock.nowMs() - oldestAtMs
    return !isFull && ageMs >= 0 && ageMs < waitSeconds * 1_000
  }

  #delayMs(failures: number): number {
    const nominalMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 20))
    return Math.round(nominalMs * (1 - JITTER + 2 * JITTER * this.#parts.random()))
  }

  #deliver({ target, secret }: Sink, batch: SinkBatch): Promise<string | null> {
    const { send, writeFile, clock } = this.#parts
    const text = writeLines(batch)
    // All of its lines were deleted in the meantime.
    if (text === '') return Promise.resolve(null)
    if (!/^https?:/i.test(target)) return writeFile({ target, path: filePathOf(batch), text })
    return send({
      url: target,
      body: text,
      signature: signWebhook(text, secret, clock.nowMs()),
      signal: this.#ending.signal,
      headers: {
        'content-type': 'application/x-ndjson',
        'turnpike-stream': batch.stream,
        'turnpike-batch': batch.id,
      },
    })
  }
}
