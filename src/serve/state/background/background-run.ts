import { GatewayError } from '../../../errors/gateway-error.ts'
import { asGatewayError } from '../../../errors/render-error.ts'
import type { BackgroundEvents, BackgroundRules } from '../../../protocols/state-rules.ts'
import type { AdmissionRecord } from '../../../vocabulary/settlement.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { Gateway } from '../../gateway.ts'
import { type InternalExchange, takeBody } from '../../internal-exchange.ts'
import type { Reply } from '../../ports/exchange.ts'
import { NoLongerRunning, type RunningReply } from '../../ports/state/background-store.ts'
import type { BackgroundStep } from '../../ports/state/reply-store.ts'
import type { LocalRun } from './background-runs.ts'

// Often enough for a reader, and seldom enough for the database.
const STORE_INTERVAL_MS = 100
/** What is stored of a reply in events, before it is encrypted. */
export const MAX_EVENT_CHARACTERS = 64 * 1_024 * 1_024
// A database that is away for longer than this loses the reply.
const TRIES = 60
const RETRY_MS = 1_000

export interface RunParts {
  readonly key: RunningReply
  /** The reply before it is made. */
  readonly queued: JsonObject
  /** Whether clients may read its events. */
  readonly isStreamed: boolean
  /** What its request takes up in memory. */
  readonly bodyBytes: number
  readonly rules: BackgroundRules
  readonly exchange: InternalExchange
  readonly gateway: Pick<Gateway, 'replies' | 'log' | 'maxBackgroundPerAccount'>
  /** Stores the reply with its input. */
  save(reply: unknown, background: BackgroundStep): Promise<void>
}

/** A reply that this node makes in the background. However it goes, it is stored as ended, unless somebody else has ended it. */
export class BackgroundRun implements LocalRun {
  readonly key: RunningReply
  readonly bodyBytes: number
  isStored = false
  readonly #parts: RunParts
  readonly #events: BackgroundEvents
  readonly #ending = Promise.withResolvers<void>()
  readonly #listeners = new Set<() => void>()
  #waiting: string[] = []
  #writing: Promise<void> | null = null
  #storedEvents = 0
  #characters = 0
  /** Why it does not go on; null while it does. */
  #stopped: GatewayError | 'ended elsewhere' | null = null

  constructor(parts: RunParts) {
    this.#parts = parts
    this.key = parts.key
    this.bodyBytes = parts.bodyBytes
    this.#events = parts.rules.openEvents(parts.queued)
  }

  /** Stores the queued reply. Throws when the account has too many. */
  async begin(admission: AdmissionRecord): Promise<void> {
    const { queued, isStreamed, key, gateway, save } = this.#parts
    const maxRunning = gateway.maxBackgroundPerAccount
    await save(queued, { begins: { nodeId: key.nodeId, isStreamed, admission, maxRunning } })
    this.isStored = true
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  fail(error: GatewayError): void {
    this.#stop(error)
  }

  leave(): void {
    this.#stop('ended elsewhere')
  }

  #stop(reason: GatewayError | 'ended elsewhere'): void {
    this.#stopped ??= reason
    this.#parts.exchange.leave()
  }

  /** Makes the reply. Never rejects. */
  async run(deliver: () => Promise<Reply>): Promise<void> {
    const problem = await this.#make(deliver)
    this.#ending.resolve()
    try {
      await this.#writing
      await this.#end(problem)
    } catch (cause) {
      this.#parts.gateway.log.trouble('the end of a background reply could not be stored', cause)
    }
    this.#notify()
  }

  /** Whatever happens here, `deliver` is called: it settles the request. */
  async #make(deliver: () => Promise<Reply>): Promise<unknown> {
    const { gateway, isStreamed } = this.#parts
    if (isStreamed) this.#store(this.#events.beginning)
    gateway.replies.noteProgress(this.key).catch((problem) => {
      // Of a database that is away it is enough to hear at the end.
      if (problem instanceof NoLongerRunning) this.leave()
    })
    try {
      await takeBody(await deliver(), (bytes) => this.#store(this.#events.push(bytes)))
      return null
    } catch (problem) {
      return problem
    }
  }

  #store(frames: readonly string[]): void {
    if (!this.#parts.isStreamed || frames.length === 0 || this.#stopped !== null) return
    for (const frame of frames) {
      this.#characters += frame.length
      this.#waiting.push(frame)
    }
    if (this.#characters > MAX_EVENT_CHARACTERS) {
      const message = `The events of this response are longer than ${MAX_EVENT_CHARACTERS} characters.`
      this.fail(new GatewayError('request_too_large', message))
    }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const frames = this.#waiting
      this.#waiting = []
      try {
        const batch = { first: this.#storedEvents, frames }
        await retried(() => this.#parts.gateway.replies.appendEvents(this.key, batch))
      } catch (problem) {
        this.#loseEvents(problem)
        return
      }
      this.#storedEvents += frames.length
      this.#notify()
      await Promise.race([pause(STORE_INTERVAL_MS), this.#ending.promise])
    }
  }

  #loseEvents(problem: unknown): void {
    this.#waiting = []
    if (problem instanceof NoLongerRunning) {
      this.leave()
      return
    }
    this.#parts.gateway.log.trouble('events of a background reply could not be stored', problem)
    this.fail(new GatewayError('temporarily_unavailable', 'The events of this response could not be stored.'))
  }

  async #end(problem: unknown): Promise<void> {
    const { rules, queued, gateway, save } = this.#parts
    if (this.#stopped === 'ended elsewhere') return
    const { final } = this.#events
    const status = final === null ? 'failed' : rules.endOf(final)
    if (final !== null && status !== 'failed') {
      await retried(() => save(final, { endsOn: this.key.nodeId, status })).catch(unlessEnded)
      return
    }
    const error = this.#stopped ?? asGatewayError(problem ?? new Error('the answer broke off'))
    const reply = final ?? rules.failed(queued, error)
    await retried(() => gateway.replies.endBackground(this.key, { status: 'failed', reply }))
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

function unlessEnded(problem: unknown): void {
  if (!(problem instanceof NoLongerRunning)) throw problem
}

/** A database that is away for a moment must not cost anybody a reply. */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (problem) {
      if (problem instanceof NoLongerRunning || tries === TRIES) throw problem
      await pause(RETRY_MS)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
