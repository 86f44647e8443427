import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Log } from '../../ports/log.ts'
import type { BackgroundStore, ReplyKey, RunningReply } from '../../ports/state/background-store.ts'

/** A reply that this node makes. */
export interface LocalRun {
  readonly key: RunningReply
  /** What its request takes up in memory. */
  readonly bodyBytes: number
  /** Whether other nodes know of it. */
  readonly isStored: boolean
  /** Called when events were stored, and at the end. Returns a function that stops listening. */
  listen(listener: () => void): () => void
  /** Ends it as failed. */
  fail(error: GatewayError): void
  /** Somebody has cancelled or deleted it. */
  leave(): void
}

export interface BackgroundLimits {
  /** Replies that this node makes at a time. */
  readonly maxRuns: number
  /** What their requests take up in memory. */
  readonly maxBodyBytes: number
  readonly maxBodyBytesPerAccount: number
}

export interface BackgroundRunsParts {
  readonly nodeId: string
  readonly limits: BackgroundLimits
  readonly storage: Pick<BackgroundStore, 'listRunning'>
  readonly log: Log
}

const RETRY_AFTER_SECONDS = 5
/** On one node. */
export const MAX_FOLLOWERS_PER_ACCOUNT = 128

/** All replies that this node makes in the background. */
export class BackgroundRuns {
  readonly nodeId: string
  readonly #parts: BackgroundRunsParts
  readonly #runs = new Map<string, LocalRun>()
  /** Streams of events by account. */
  readonly #followers = new Map<string, number>()
  #bodyBytes = 0
  #looking: Promise<void> | null = null

  constructor(parts: BackgroundRunsParts) {
    this.#parts = parts
    this.nodeId = parts.nodeId
  }

  get size(): number {
    return this.#runs.size
  }

  find(key: ReplyKey): LocalRun | null {
    return this.#runs.get(nameOf(key)) ?? null
  }

  /** Refuses one more of this account, with a request of this size. */
  requireRoom(accountId: string, bodyBytes: number): void {
    const { maxRuns, maxBodyBytes, maxBodyBytesPerAccount } = this.#parts.limits
    let ofAccount = bodyBytes
    for (const { key, bodyBytes: held } of this.#runs.values()) {
      if (key.accountId === accountId) ofAccount += held
    }
    const isFull = this.#runs.size >= maxRuns || this.#bodyBytes + bodyBytes > maxBodyBytes
    if (!isFull && ofAccount <= maxBodyBytesPerAccount) return
    throw new GatewayError(
      'temporarily_unavailable',
      'This gateway has no room for another background response right now; try again later.',
      { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
    )
  }

  /** Refuses one more stream of events: each asks the database once a second. */
  requireFollower(accountId: string): void {
    if ((this.#followers.get(accountId) ?? 0) < MAX_FOLLOWERS_PER_ACCOUNT) return
    throw new GatewayError(
      'rate_limit_exceeded',
      `This account reads ${MAX_FOLLOWERS_PER_ACCOUNT} streams of background responses already.`,
      { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, param: 'stream' },
    )
  }

  /** Returns a function to call at its end. */
  countFollower(accountId: string): () => void {
    this.#followers.set(accountId, (this.#followers.get(accountId) ?? 0) + 1)
    return () => {
      const rest = (this.#followers.get(accountId) ?? 1) - 1
      if (rest === 0) this.#followers.delete(accountId)
      else this.#followers.set(accountId, rest)
    }
  }

  add(run: LocalRun): void {
    this.requireRoom(run.key.accountId, run.bodyBytes)
    this.#runs.set(nameOf(run.key), run)
    this.#bodyBytes += run.bodyBytes
  }

  remove(run: LocalRun): void {
    if (this.#runs.delete(nameOf(run.key))) this.#bodyBytes -= run.bodyBytes
  }

  /** Call it about once a second: gives up what others have cancelled, deleted or taken for lost. Never rejects. */
  beat(): Promise<void> {
    if (this.#runs.size === 0) return Promise.resolve()
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { storage, log } = this.#parts
    // One that is stored during the look is not in its result.
    const before = [...this.#runs.values()].filter(({ isStored }) => isStored)
    try {
      const running = new Set((await storage.listRunning(this.nodeId)).map(nameOf))
      for (const run of before) if (!running.has(nameOf(run.key))) run.leave()
    } catch (problem) {
      log.trouble('background responses could not be looked up', problem)
    }
  }

  failAll(error: GatewayError): void {
    for (const run of this.#runs.values()) run.fail(error)
  }
}

function nameOf({ accountId, id }: ReplyKey): string {
  return `${accountId} ${id}`
}
