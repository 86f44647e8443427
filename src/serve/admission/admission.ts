import { NO_USAGE, type Usage } from '../../conversation/usage.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../manage/ports/console.ts'
import { markupFor } from '../../rules/accounts/mark-ups.ts'
import { type ChargeTerms, chargeFor } from '../../rules/ledger/charge.ts'
import { endedAtMs } from '../../rules/ledger/period.ts'
import type { PriceFacts } from '../../rules/ledger/rates.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import {
  type AdmissionRecord,
  type Attempt,
  NO_SESSION,
  type SessionIds,
  type Settlement,
} from '../../vocabulary/settlement.ts'
import type { Format } from '../../vocabulary/supply.ts'
import type { Gateway } from '../gateway.ts'
import type { WindowDemand } from '../ports/admissions.ts'
import type { ObservedRoute } from '../ports/request-observer.ts'
import type { GrowingHold } from './growing-hold.ts'
import { type MeteredEnd, meterEnd } from './meter-end.ts'
import { observeEnd, recorderFor } from './observe.ts'
import type { PreparedRequest } from './prepared-request.ts'

/** How a request has ended: what its settlement is made from. */
export interface RequestEnd extends MeteredEnd {
  /** How many of the characters the client has, without what is held back until the settlement is written. */
  readonly sentCharacters?: number
  /** The candidate that served the request, and its format; null when there is none. */
  readonly served: { readonly candidate: Candidate; readonly format: Format } | null
}

export const NOTHING_DELIVERED = { hasDelivered: false, reported: null, outputCharacters: 0 } as const

const RETRY_AFTER_SECONDS = 5

/** A request is not served when its cost cannot be recorded. */
export function unwritableError(message: string, cause?: unknown): GatewayError {
  return new GatewayError('temporarily_unavailable', message, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    cause,
  })
}

export interface AdmissionParts<Prepared extends PreparedRequest = PreparedRequest> {
  readonly prepared: Prepared
  readonly gateway: Gateway
  readonly windows: readonly WindowDemand[]
  readonly sessionIds: SessionIds
  /** The id of a conversation that should stay with one credential; null when there is none. */
  readonly conversation: string | null
  readonly promptTokens: number
  /** The most that a supplier may count of the prompt. */
  readonly maxPromptTokens: number
  /** What the request counts against token windows. */
  readonly tokens: number
  readonly holdNano: NanoUsdt
  /** What is added to the price; the same when it is held and when it is charged. */
  readonly markupBasisPoints: number | null
  /** Absent when everything that the request may cost is held. */
  readonly ration?: Ration
}

/** How a request goes on that was admitted although not all that it may cost could be held. */
export interface Ration {
  /** A stream goes on as far as its hold grows. Null for a whole reply. */
  readonly hold: GrowingHold | null
  /** The longest reply that is paid for. Null for a stream. */
  readonly maxOutputTokens: number | null
}

/** An admitted request. It is settled exactly once, whatever happens to it. */
export class Admission<Prepared extends PreparedRequest = PreparedRequest> {
  readonly prepared: Prepared
  readonly record: AdmissionRecord
  readonly windows: readonly WindowDemand[]
  readonly conversation: string | null
  readonly tokens: number
  readonly promptTokens: number
  readonly attempts: Attempt[] = []
  readonly ration: Ration | null
  /** Takes down the answer; null when it is neither stored nor traced. */
  readonly bodies: BodyRecorder | null
  readonly #sessionIds: SessionIds
  readonly #maxPromptTokens: number
  readonly #terms: ChargeTerms
  readonly #gateway: Gateway
  readonly #startedAtMs: number
  /** The same moment by the monotonic clock. */
  readonly #begunAtMs: number
  #firstByteMs: number | null = null
  #servedRoute: ObservedRoute | null = null
  #isSettled = false
  #writing: Promise<void> | null = null

  constructor(parts: AdmissionParts<Prepared>) {
    const { prepared, gateway, windows, conversation, promptTokens, tokens, holdNano } = parts
    this.prepared = prepared
    this.windows = windows
    this.conversation = conversation
    this.tokens = tokens
    this.ration = parts.ration ?? null
    this.bodies = recorderFor(prepared)
    this.#sessionIds = parts.sessionIds
    this.#maxPromptTokens = parts.maxPromptTokens
    this.#gateway = gateway
    this.promptTokens = promptTokens
    this.#startedAtMs = gateway.clock.nowMs()
    this.#begunAtMs = gateway.clock.monotonicMs()
    this.#terms = { startedAtMs: this.#startedAtMs, markupBasisPoints: parts.markupBasisPoints }
    const { exchange, caller, target, protocol, request } = prepared
    this.record = {
      requestId: exchange.requestId,
      accountId: caller.account.id,
      keyId: caller.key.id,
      model: target.model.id,
      clientFormat: protocol.name,
      stream: request.facts.stream,
      holdNano,
      startedAtMs: this.#startedAtMs,
      ...(parts.sessionIds !== NO_SESSION && { sessionIds: parts.sessionIds }),
    }
    gateway.journal.open(this.record)
  }

  /** The time left in which a candidate must answer, at this time of the monotonic clock. */
  remainingMs(nowMs = this.#gateway.clock.monotonicMs()): number {
    return Math.max(0, this.#gateway.timeouts.deadlineMs - this.#elapsedMs(nowMs))
  }

  noteFirstByte(): void {
    this.#firstByteMs = this.#elapsedMs()
  }

  /**
   * Writes the settlement to the journal, and waits if that takes time. A second call changes nothing and waits for the
   * first.
   *
   * When the settlement of a complete answer cannot be written anywhere, this rejects with an error for the client, who
   * pays only for what was sent already. After any other end the cost is written as soon as possible.
   */
  settle(end: RequestEnd): MaybePromise<void> {
    if (this.#isSettled) return this.#writing ?? undefined
    const settlement = this.#settlementOf(end)
    const writing = this.#gateway.journal.settle(settlement)
    this.#isSettled = true
    if (writing === null) return this.#count(settlement)
    this.#writing = writing.then(
      () => this.#count(settlement),
      (cause) => this.#endUnwritten(end, settlement, cause),
    )
    return this.#writing
  }

  #count(settlement: Settlement): void {
    // Not the current time: the amount must count on the day under which it is stored.
    this.#gateway.admissions.settle(settlement.requestId, settlement.amountNano, endedAtMs(settlement))
    this.#gateway.alerts.noteSettled(settlement)
    this.bodies?.end(settlement.requestId)
    const { observer } = this.#gateway
    if (observer !== undefined) observeEnd(this, { settlement, served: this.#servedRoute }, observer)
  }

  #endUnwritten(end: RequestEnd, settlement: Settlement, cause: unknown): void {
    const isRefused = end.outcome === 'completed'
    const owed = isRefused ? this.#settlementOf(cutShort(end)) : settlement
    this.#count(owed)
    this.#gateway.journal.owe(owed)
    if (isRefused)
      throw unwritableError('What this request costs cannot be written down; try again later.', cause)
  }

  #settlementOf(end: RequestEnd): Settlement {
    const { served, outcome } = end
    const { exchange, caller, target, protocol, request } = this.prepared
    const { usage, provenance, notes } = meterEnd(end, this)
    const route = served?.candidate.route
    this.#servedRoute = route ?? null
    const settlement: Settlement = {
      requestId: exchange.requestId,
      accountId: caller.account.id,
      keyId: caller.key.id,
      model: route?.route.modelId ?? target.model.id,
      supplier: served?.candidate.route.supplier.id ?? null,
      credentialId: served?.candidate.credential.id ?? null,
      clientFormat: protocol.name,
      supplierFormat: served?.format ?? null,
      stream: request.facts.stream,
      session: this.#sessionIds.session,
      agent: this.#sessionIds.agent,
      parentAgent: this.#sessionIds.parentAgent,
      usage,
      provenance,
      ...chargeFor(usage, route ?? null, this.#termsOver(route ?? null)),
      notes: this.#withOwnNotes(notes),
      outcome,
      attempts: this.attempts.slice(),
      startedAtMs: this.#startedAtMs,
      firstByteMs: this.#firstByteMs,
      durationMs: this.#elapsedMs(),
    }
    exchange.settlement = settlement
    return settlement
  }

  #withOwnNotes(notes: Settlement['notes']): Settlement['notes'] {
    const isLowered = this.ration?.maxOutputTokens != null
    const isCompaction = this.prepared.isCompaction === true
    if (!isLowered && !isCompaction) return notes
    return [
      ...notes,
      ...(isLowered ? (['max_tokens_lowered'] as const) : []),
      ...(isCompaction ? (['compaction'] as const) : []),
    ]
  }

  /** What the request may cost at most if its stream ended after so many output tokens. */
  costUpTo(outputTokens: number, route: EligibleRoute, reported: Usage | null): NanoUsdt {
    const usage = { ...(reported ?? NO_USAGE), output: outputTokens, reasoning: 0 }
    const whole = reported === null ? { ...usage, input: this.#maxPromptTokens } : usage
    return chargeFor(whole, route, this.#termsOver(route)).amountNano
  }

  /** Each model of an alias may have its own mark-up. */
  #termsOver(route: EligibleRoute | null): ChargeTerms {
    const { caller, target } = this.prepared
    if (target.next === undefined || route === null || route.route.modelId === target.model.id)
      return this.#terms
    const { startedAtMs } = this.#terms
    return { startedAtMs, markupBasisPoints: markupFor(caller, route.route.modelId, startedAtMs) }
  }

  /** What the rates depend on, as far as it is known before the answer. */
  priceFacts(): PriceFacts {
    return { promptTokens: this.promptTokens, serviceTier: null, startedAtMs: this.#startedAtMs }
  }

  /** By the monotonic clock: the other clock may be set during a request. */
  #elapsedMs(nowMs = this.#gateway.clock.monotonicMs()): number {
    return Math.max(0, nowMs - this.#begunAtMs)
  }
}

/** The end of an answer whose last bytes were never sent: the client pays for what it has. */
export function cutShort({ served, reported, sentCharacters = 0, sample, ownCount }: RequestEnd): RequestEnd {
  if (sentCharacters === 0) return { outcome: 'interrupted', ...NOTHING_DELIVERED, served }
  return {
    outcome: 'interrupted',
    hasDelivered: true,
    // The supplier's figures are for the whole answer.
    reported: reported && { ...reported, output: 0, reasoning: 0 },
    outputCharacters: sentCharacters,
    ...(sample !== undefined && { sample }),
    ownCount,
    served,
  }
}
