import type { Usage } from '../../conversation/usage.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { meter, priceOf } from '../../rules/ledger/charge.ts'
import { endedAtMs } from '../../rules/ledger/period.ts'
import { tokensOfCharacters } from '../../rules/limits/window.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Attempt, Outcome, Settlement } from '../../vocabulary/settlement.ts'
import type { Format } from '../../vocabulary/supply.ts'
import type { Gateway } from '../gateway.ts'
import type { WindowDemand } from '../ports/admissions.ts'
import type { PreparedRequest } from './prepared-request.ts'

/** How a request ended. */
export interface RequestEnd {
  readonly outcome: Outcome
  readonly hasDelivered: boolean
  readonly reported: Usage | null
  readonly outputCharacters: number
  /** How many of these the client has already; what is held back until the settlement is written is not among them. */
  readonly sentCharacters?: number
  /** Pictures delivered, of a request for pictures. */
  readonly images?: number | undefined
  /** What served it, and in which format; null when nothing did. */
  readonly served: { readonly candidate: Candidate; readonly format: Format } | null
}

export const NOTHING_DELIVERED = { hasDelivered: false, reported: null, outputCharacters: 0 } as const

const RETRY_AFTER_SECONDS = 5
const SETTLED = Promise.resolve()

/** What a request costs cannot be written down, so it is not served. */
export function unwritableError(message: string, cause?: unknown): GatewayError {
  return new GatewayError('temporarily_unavailable', message, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    cause,
  })
}

export interface AdmissionParts<Kind extends PreparedRequest = PreparedRequest> {
  readonly prepared: Kind
  readonly gateway: Gateway
  readonly windows: readonly WindowDemand[]
  /** Names the conversation when it is to stay with one credential. */
  readonly conversation: string | null
  readonly promptTokens: number
  /** What the request counts against token windows. */
  readonly tokens: number
  readonly holdNano: NanoUsdt
}

/** A request that has been let in. It is settled exactly once, whatever happens to it. */
export class Admission<Kind extends PreparedRequest = PreparedRequest> {
  readonly prepared: Kind
  readonly windows: readonly WindowDemand[]
  readonly conversation: string | null
  readonly tokens: number
  readonly promptTokens: number
  readonly attempts: Attempt[] = []
  readonly #gateway: Gateway
  readonly #startedAtMs: number
  /** The same moment by the monotonic clock. */
  readonly #begunAtMs: number
  #firstByteMs: number | null = null
  #settled: Promise<void> | null = null

  constructor(parts: AdmissionParts<Kind>) {
    const { prepared, gateway, windows, conversation, promptTokens, tokens, holdNano } = parts
    this.prepared = prepared
    this.windows = windows
    this.conversation = conversation
    this.tokens = tokens
    this.#gateway = gateway
    this.promptTokens = promptTokens
    this.#startedAtMs = gateway.clock.nowMs()
    this.#begunAtMs = gateway.clock.monotonicMs()
    const { exchange, caller, target, protocol, request } = prepared
    gateway.journal.open({
      requestId: exchange.requestId,
      accountId: caller.account.id,
      keyId: caller.key.id,
      model: target.model.id,
      clientFormat: protocol.name,
      stream: request.facts.stream,
      holdNano,
      startedAtMs: this.#startedAtMs,
    })
  }

  /** What is left of the time in which some candidate must answer, at this time of the monotonic clock. */
  remainingMs(nowMs = this.#gateway.clock.monotonicMs()): number {
    return Math.max(0, this.#gateway.timeouts.deadlineMs - this.#elapsedMs(nowMs))
  }

  noteFirstByte(): void {
    this.#firstByteMs = this.#elapsedMs()
  }

  /**
   * Resolves when the settlement is in the journal. A second call waits for the first and changes nothing.
   *
   * An answer that is complete but for its last bytes is refused when its settlement can be written nowhere: this rejects
   * with what the client is told, and only what it has already is charged. All other endings are told anyhow, and what
   * they cost is written when that can be done.
   */
  settle(ending: RequestEnd): Promise<void> {
    this.#settled ??= this.#settleOnce(ending)
    return this.#settled
  }

  /** Whether the settlement is in the journal already, so that its promise need not be waited for. */
  get isSettled(): boolean {
    return this.#settled === SETTLED
  }

  #settleOnce(ending: RequestEnd): Promise<void> {
    const settlement = this.#settlement(ending)
    const writing = this.#gateway.journal.settle(settlement)
    if (writing !== null) {
      return writing.then(
        () => this.#count(settlement),
        (cause) => this.#endUnwritten(ending, settlement, cause),
      )
    }
    this.#count(settlement)
    return SETTLED
  }

  #count(settlement: Settlement): void {
    // Not the time it is now: what is counted here must be counted on the day it is stored under.
    this.#gateway.admissions.settle(settlement.requestId, settlement.amountNano, endedAtMs(settlement))
    this.#gateway.alerts.noteSettled(settlement)
    this.prepared.bodies?.end(settlement.requestId)
  }

  #endUnwritten(ending: RequestEnd, settlement: Settlement, cause: unknown): void {
    const isRefused = ending.outcome === 'completed'
    const owed = isRefused ? this.#settlement(cutShort(ending)) : settlement
    this.#count(owed)
    this.#gateway.journal.owe(owed)
    if (isRefused)
      throw unwritableError('What this request costs cannot be written down; try again later.', cause)
  }

  #settlement({ served, outcome, hasDelivered, reported, outputCharacters, images }: RequestEnd): Settlement {
    const { exchange, caller, target, protocol, request } = this.prepared
    const { usage, provenance } = meter({
      outcome,
      hasDelivered,
      reported,
      countedOutputTokens: tokensOfCharacters(outputCharacters),
      estimatedPromptTokens: this.promptTokens,
      countedImages: images,
    })
    const price = served?.candidate.route.price ?? null
    return {
      requestId: exchange.requestId,
      accountId: caller.account.id,
      keyId: caller.key.id,
      model: target.model.id,
      supplier: served?.candidate.route.supplier.id ?? null,
      credentialId: served?.candidate.credential.id ?? null,
      clientFormat: protocol.name,
      supplierFormat: served?.format ?? null,
      stream: request.facts.stream,
      usage,
      provenance,
      price,
      amountNano: price === null ? 0n : priceOf(usage, price),
      outcome,
      attempts: this.attempts.slice(),
      startedAtMs: this.#startedAtMs,
      firstByteMs: this.#firstByteMs,
      durationMs: this.#elapsedMs(),
    }
  }

  /** By the monotonic clock: the other one may be set while a request is under way. */
  #elapsedMs(nowMs = this.#gateway.clock.monotonicMs()): number {
    return Math.max(0, nowMs - this.#begunAtMs)
  }
}

/** An answer whose end was never sent: what the client has of it is charged. */
export function cutShort({ served, reported, sentCharacters = 0 }: RequestEnd): RequestEnd {
  if (sentCharacters === 0) return { outcome: 'interrupted', ...NOTHING_DELIVERED, served }
  return {
    outcome: 'interrupted',
    hasDelivered: true,
    // The supplier's figures are of the whole answer.
    reported: reported && { ...reported, output: 0, reasoning: 0 },
    outputCharacters: sentCharacters,
    served,
  }
}
