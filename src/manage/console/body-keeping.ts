import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { BodyStorage, KeptBody, KeptContent } from '../../vocabulary/settlement.ts'
import type { BodyKeeper, BodyQuestion, BodyRange, BodyRecorder, ConsoleStore } from '../ports/console.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** The limit per request and per answer. Larger bodies are rarely read and expensive to encrypt. */
export const LONGEST_BODY = 256 * 1024
// Bodies that wait for a slow database are in memory.
const MAX_WAITING = 200
const SWEEP_PORTION = 50

export const USUAL_DAYS = 7

export interface KeepingParts {
  readonly storage: Pick<ConsoleStore, 'saveBody' | 'findBody' | 'deleteBodies'>
  readonly clock: Clock
  readonly log: Log
}

/** Stores request and response bodies for accounts that enabled it, in the background. */
export class BodyKeeping implements BodyKeeper {
  readonly #parts: KeepingParts
  readonly #settings = new Map<string, BodyStorage>()
  readonly #waiting: KeptBody[] = []
  #writing: Promise<void> | null = null
  #isDropping = false

  constructor(parts: KeepingParts, settings: readonly BodyStorage[]) {
    this.#parts = parts
    for (const setting of settings) this.set(setting)
  }

  set(setting: BodyStorage): void {
    this.#settings.set(setting.accountId, setting)
  }

  settingOf(accountId: string): BodyStorage {
    return this.#settings.get(accountId) ?? { accountId, isEnabled: false, days: USUAL_DAYS }
  }

  begin(accountId: string, request: string): BodyRecorder | null {
    if (this.#settings.get(accountId)?.isEnabled !== true) return null
    return new Recorder(request, (taken, requestId) =>
      this.#keep({ ...taken, accountId, requestId, createdAtMs: this.#parts.clock.nowMs() }),
    )
  }

  async find(accountId: string, requestId: string): Promise<KeptBody | null> {
    const { isEnabled, days } = this.settingOf(accountId)
    if (!isEnabled) return null
    await this.flush()
    return this.#parts.storage.findBody(accountId, requestId, this.#parts.clock.nowMs() - days * DAY_MS)
  }

  /** The part of a range whose bodies are kept; null when none are. */
  async keptRange(
    accountId: string,
    { fromMs, toMs }: Pick<BodyQuestion, 'fromMs' | 'toMs'>,
  ): Promise<BodyRange | null> {
    const { isEnabled, days } = this.settingOf(accountId)
    if (!isEnabled) return null
    await this.flush()
    const nowMs = this.#parts.clock.nowMs()
    return { fromMs: Math.max(fromMs ?? 0, nowMs - days * DAY_MS), toMs: toMs ?? nowMs + 1 }
  }

  /** Resolves when all pending bodies are written or have failed. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  /** Deletes bodies past their account's retention. Never rejects. */
  async sweep(): Promise<void> {
    const { storage, clock, log } = this.#parts
    try {
      for (const { accountId, isEnabled, days } of this.#settings.values()) {
        // Includes the current millisecond, so that nothing remains after storage is disabled.
        const beforeMs = isEnabled ? clock.nowMs() - days * DAY_MS : clock.nowMs() + 1
        while ((await storage.deleteBodies(accountId, beforeMs, SWEEP_PORTION)) === SWEEP_PORTION);
      }
    } catch (error) {
      log.trouble('old bodies could not be deleted', error)
    }
  }

  #keep(body: KeptBody): void {
    if (this.#waiting.length >= MAX_WAITING) {
      // Logged once, not for each body.
      if (!this.#isDropping) this.#parts.log.trouble('bodies are dropped', new Error('The database is slow.'))
      this.#isDropping = true
      return
    }
    this.#isDropping = false
    this.#waiting.push(body)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  async #write(): Promise<void> {
    // The answer goes first.
    await new Promise((resolve) => setImmediate(resolve))
    for (let body = this.#waiting.shift(); body !== undefined; body = this.#waiting.shift()) {
      // Storage was disabled in the meantime.
      if (!this.settingOf(body.accountId).isEnabled) continue
      try {
        await this.#parts.storage.saveBody(body)
      } catch (error) {
        this.#parts.log.trouble('a body could not be kept', error, body.requestId)
      }
    }
  }
}

class Recorder implements BodyRecorder {
  readonly #request: string
  readonly #handOver: (taken: KeptContent, requestId: string) => void
  readonly #decoder = new TextDecoder()
  #response: string | null = null
  #isResponseCut = false
  #isEnded = false

  constructor(request: string, handOver: (taken: KeptContent, requestId: string) => void) {
    this.#request = request
    this.#handOver = handOver
  }

  add(answered: string | Uint8Array): void {
    if (this.#isResponseCut || this.#isEnded) return
    const text = typeof answered === 'string' ? answered : this.#decoder.decode(answered, { stream: true })
    const response = (this.#response ?? '') + text
    this.#isResponseCut = response.length > LONGEST_BODY
    this.#response = response.slice(0, LONGEST_BODY)
  }

  end(requestId: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const taken = {
      request: this.#request.slice(0, LONGEST_BODY),
      isRequestCut: this.#request.length > LONGEST_BODY,
      response: this.#response,
      isResponseCut: this.#isResponseCut,
    }
    this.#handOver(taken, requestId)
  }
}
