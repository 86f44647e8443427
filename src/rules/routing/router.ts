import type { SteadyClock } from '../../vocabulary/clock.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Format, Standing } from '../../vocabulary/supply.ts'
import { arrangeCandidates, type Field } from './arrange-candidates.ts'
import { type Candidate, RankedCandidate } from './candidate.ts'
import type { CandidateHealth, RoutingFailure } from './candidate-health.ts'
import { ConversationAffinity, type Pin } from './conversation-affinity.ts'
import type { EligibleRoute } from './eligible-routes.ts'
import { type Random, type RoutingSettings, USUAL_ROUTING } from './routing-settings.ts'
import type { SupplierRemaining } from './supplier-headers.ts'
import {
  type CandidateIds,
  changesSince,
  type HealthChange,
  type Outlook,
  outlookOf,
  type RoutingChange,
  SupplyHealth,
} from './supply-health.ts'

export type { SupplierRemaining } from './supplier-headers.ts'

/** A request to route, and the routes it may use. */
export interface RoutingQuestion {
  readonly modelId: string
  readonly routes: readonly EligibleRoute[]
  /** Routes that speak this format win ties. */
  readonly clientFormat: Format
  /** Identifies the conversation within the caller; null when unknown. */
  readonly conversation: string | null
  readonly promptTokens: number
  readonly outputTokens: number
  /** The rates of a price that apply to the request; absent when no price has variants. */
  readonly ratesOf?: ((price: Price) => Price) | undefined
}

export interface RoutingOrder {
  /** The candidates in the order in which to try them. */
  readonly candidates: readonly Candidate[]
  /** Whole seconds until the first rate-limited candidate can be used; null when none was left out. */
  readonly freeInSeconds: number | null
}

/** How an attempt ended. `abandoned`: for reasons that say nothing about the candidate. */
export type AttemptVerdict =
  | {
      readonly type: 'answered'
      readonly firstByteMs: number
      readonly remaining: SupplierRemaining | null
      /** The answer has only begun; `endStream` reports how it ends. */
      readonly isStreaming?: true
    }
  | {
      readonly type: 'failed'
      readonly failure: RoutingFailure
      readonly remaining: SupplierRemaining | null
    }
  | { readonly type: 'abandoned' }

export interface EndedAttempt {
  readonly candidate: Candidate
  readonly modelId: string
  readonly result: AttemptVerdict
}

/** How an answer that had begun has ended. `abandoned`: for reasons that say nothing about the candidate. */
export interface EndedStream {
  readonly candidate: Candidate
  readonly modelId: string
  /** By the monotonic clock. */
  readonly begunAtMs: number
  readonly result:
    | { readonly type: 'completed' | 'abandoned' }
    | { readonly type: 'failed'; readonly failure: RoutingFailure }
}

export interface RouterParts {
  readonly clock: SteadyClock
  readonly random: Random
  readonly settings?: Partial<RoutingSettings>
  /** Receives what other nodes should know; absent when there are none. */
  readonly publish?: ((change: RoutingChange) => void) | undefined
}

const SWEEP_EVERY_MS = 60_000

interface Survey extends Field {
  /** When the first rate-limited candidate can be used; null when none was left out. */
  freeAtMs: number | null
}

/**
 * Orders the candidates of a request and learns from the result of each attempt. All times are from the monotonic
 * clock, so that a change of the system clock neither extends nor cancels a cooldown.
 */
export class Router {
  readonly #clock: SteadyClock
  readonly #random: Random
  readonly #settings: RoutingSettings
  readonly #health: SupplyHealth
  readonly #affinity: ConversationAffinity
  readonly #publish: ((change: RoutingChange) => void) | null
  #sweptAtMs = 0

  constructor({ clock, random, settings = {}, publish }: RouterParts) {
    this.#clock = clock
    this.#publish = publish ?? null
    this.#random = random
    this.#settings = { ...USUAL_ROUTING, ...settings }
    this.#health = new SupplyHealth({ settings: this.#settings, random })
    this.#affinity = new ConversationAffinity(this.#settings)
  }

  /** The number of entries in memory. */
  get size(): { readonly candidates: number; readonly conversations: number } {
    return { candidates: this.#health.size, conversations: this.#affinity.size }
  }

  order(question: RoutingQuestion): RoutingOrder {
    const nowMs = this.#clock.monotonicMs()
    const { routes, modelId } = question
    const route = routes.length === 1 ? routes[0] : undefined
    const credential = route?.credentials.length === 1 ? route.credentials[0] : undefined
    // Fast path of small installations: one healthy candidate.
    if (route !== undefined && credential !== undefined) {
      const health = this.#health.ofModel(route.supplier.id, credential, { modelId, nowMs })
      if (health.isClosed && health.credential.coolingEndsAtMs <= nowMs) {
        const only = new RankedCandidate(route, credential, health)
        only.place = 'only'
        return { candidates: [only], freeInSeconds: null }
      }
    }
    const field = this.#survey(question, nowMs)
    const { conversation } = question
    const pin = conversation === null ? null : this.#affinity.recall(conversation, nowMs)
    const parts = { settings: this.#settings, random: this.#random, nowMs, question, pin }
    const candidates = arrangeCandidates(field, parts)
    const [first] = candidates
    if (first !== undefined) {
      first.isExpected = true
      // Later turns of a new conversation go to the same credential.
      const isNew = conversation !== null && pin === null
      first.health.credential.addLoad(isNew ? this.#settings.loadOfConversation : 1, nowMs)
    }
    return { candidates, freeInSeconds: secondsUntil(field.freeAtMs, nowMs) }
  }

  /** Begins an attempt. Returns false when another request is already probing the candidate; then skip it. */
  begin(candidate: Candidate, modelId: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    const ranked = candidate instanceof RankedCandidate ? candidate : null
    const health = ranked?.health ?? this.#health.of(candidate, modelId, nowMs)
    const mayBegin = health.isClosed || health.beginProbe(candidate, nowMs) || ranked?.place === 'last-resort'
    if (!mayBegin) return false
    health.usedAtMs = nowMs
    health.credential.begin(ranked?.isExpected === true ? 0 : 1, nowMs)
    if (nowMs - this.#sweptAtMs >= SWEEP_EVERY_MS) {
      this.#sweptAtMs = nowMs
      this.#health.sweep(nowMs)
    }
    return true
  }

  end({ candidate, modelId, result }: EndedAttempt): void {
    const nowMs = this.#clock.monotonicMs()
    // The health that the candidate carries: results of an old secret do not count for a new one.
    const health =
      candidate instanceof RankedCandidate ? candidate.health : this.#health.of(candidate, modelId, nowMs)
    const before = this.#publish === null ? null : outlookOf(health, nowMs)
    const hasAnswered = result.type === 'answered'
    health.usedAtMs = nowMs
    health.credential.end({ hasAnswered }, nowMs)
    if (hasAnswered) {
      health.noteReply(result.firstByteMs, nowMs)
      if (result.isStreaming === true) health.noteBegun(candidate, nowMs)
      else health.noteWorking(nowMs)
    } else if (result.type === 'failed') {
      health.noteFailure(result.failure, candidate, nowMs)
    }
    if (!(hasAnswered && result.isStreaming === true)) health.endProbe(candidate)
    if (result.type !== 'abandoned' && result.remaining !== null) {
      health.credential.noteRemaining(result.remaining, nowMs)
    }
    if (before !== null) this.#publishChanges(before, health, { ids: idsOf(candidate, modelId), nowMs })
  }

  /** Records how an answer that had begun ended. */
  endStream({ candidate, modelId, begunAtMs, result }: EndedStream): void {
    const nowMs = this.#clock.monotonicMs()
    const health =
      candidate instanceof RankedCandidate ? candidate.health : this.#health.of(candidate, modelId, nowMs)
    const before = this.#publish === null ? null : outlookOf(health, nowMs)
    if (result.type === 'completed') health.noteEnded(begunAtMs, nowMs)
    else if (result.type === 'failed') health.noteFailure(result.failure, candidate, nowMs)
    health.endProbe(candidate)
    if (before !== null) this.#publishChanges(before, health, { ids: idsOf(candidate, modelId), nowMs })
  }

  /** Records that a credential which seemed refused was verified to work. */
  noteAccepted(ids: CandidateIds): void {
    const health = this.#health.find(ids)
    if (health === null) return
    const nowMs = this.#clock.monotonicMs()
    const before = outlookOf(health, nowMs)
    health.credential.circuit.succeed(nowMs)
    this.#publishChanges(before, health, { ids, nowMs })
  }

  /** Records a verified refusal: pauses the credential for all models, or only for this one. */
  noteRefused(ids: CandidateIds, scope: 'credential' | 'model'): void {
    const health = this.#health.find(ids)
    if (health === null) return
    const nowMs = this.#clock.monotonicMs()
    const before = outlookOf(health, nowMs)
    health.rest(scope === 'model' ? health.circuit : health.credential.circuit, nowMs)
    this.#publishChanges(before, health, { ids, nowMs })
  }

  /** Whether any model has answered with this credential within the last minutes. */
  hasAnsweredLately(ids: Omit<CandidateIds, 'modelId'>): boolean {
    return this.#health.findCredential(ids)?.hasAnsweredLately(this.#clock.monotonicMs()) ?? false
  }

  #publishChanges(
    before: Outlook,
    health: CandidateHealth,
    { ids, nowMs }: { readonly ids: CandidateIds; readonly nowMs: number },
  ): void {
    if (this.#publish === null) return
    const changes = changesSince(before, outlookOf(health, nowMs), { ids, nowMs })
    for (const change of changes) this.#publish(change)
  }

  /**
   * The routes and credentials that are known to work and are not cooling. Read-only: reserves no probe and counts
   * nothing.
   */
  working(routes: readonly EligibleRoute[], modelId: string): EligibleRoute[] {
    const nowMs = this.#clock.monotonicMs()
    return routes.flatMap((route) => {
      const credentials = route.credentials.filter(({ id }) => {
        const health = this.#health.find({ modelId, supplierId: route.supplier.id, credentialId: id })
        return health === null || (health.isClosed && health.credential.coolingUntilMs(nowMs) === null)
      })
      return credentials.length === 0 ? [] : [{ ...route, credentials }]
    })
  }

  /** Whole seconds until the first cooling credential can be used; null when none is cooling. */
  freeInSeconds(routes: readonly EligibleRoute[], modelId: string): number | null {
    const nowMs = this.#clock.monotonicMs()
    const times = routes.flatMap((route) =>
      route.credentials.flatMap(({ id }) => {
        const health = this.#health.find({ modelId, supplierId: route.supplier.id, credentialId: id })
        return health?.credential.coolingUntilMs(nowMs) ?? []
      }),
    )
    return times.length === 0 ? null : secondsUntil(Math.min(...times), nowMs)
  }

  /** Keeps a conversation with the credential that answered it. */
  remember(conversation: string, { route, credential }: Candidate): void {
    const nowMs = this.#clock.monotonicMs()
    const pin = { supplierId: route.supplier.id, credentialId: credential.id }
    const isNew = this.#publish !== null && !this.#affinity.isFresh(conversation, pin, nowMs)
    this.#affinity.remember(conversation, pin, nowMs)
    if (isNew) this.#publish?.({ type: 'pinned', conversation, ...pin, forMs: this.#settings.conversationMs })
  }

  /** Applies a pin from another node. */
  learnPin(conversation: string, pin: Pin): void {
    this.#affinity.remember(conversation, pin, this.#clock.monotonicMs())
  }

  /** Applies what another node learned about a credential in its current configuration. */
  learn(change: HealthChange, credential: Credential): void {
    const nowMs = this.#clock.monotonicMs()
    if (change.type === 'cooling') {
      this.#health.ofCredential(change.supplierId, credential).coolUntil(nowMs + change.forMs)
      return
    }
    const { circuit } = this.#health.ofModel(change.supplierId, credential, {
      modelId: change.modelId,
      nowMs,
    })
    if (change.type === 'circuit-opened') circuit.openFor(change.forMs, nowMs)
    else circuit.succeed(nowMs)
  }

  /** Resets a credential after an operator has fixed it. */
  forgetCredential(ids: Omit<CandidateIds, 'modelId'>): void {
    this.#health.forgetCredential(ids)
  }

  /** Forgets what is no longer in the supply. */
  keepOnly(supply: Supply): void {
    this.#health.keepOnly(supply)
  }

  standing(ids: CandidateIds): Standing {
    const health = this.#health.find(ids)
    if (health === null) return UNTRIED
    const nowMs = this.#clock.monotonicMs()
    const aheadMs = this.#clock.nowMs() - nowMs
    const readable = (atMs: number | null) => (atMs === null ? null : Math.round(atMs + aheadMs))
    return {
      circuit: health.circuitAt(nowMs),
      opensAgainAtMs: readable(health.opensAgainAtMs),
      coolingUntilMs: readable(health.credential.coolingUntilMs(nowMs)),
      latencyMs: health.latencyMs,
      successRate: health.successRate(nowMs),
      supplierRemaining: health.credential.remainingAt(nowMs),
    }
  }

  #survey({ routes, modelId, promptTokens }: RoutingQuestion, nowMs: number): Survey {
    const field: Survey = { usable: [], halfOpen: [], open: [], freeAtMs: null }
    for (const route of routes) {
      for (const credential of route.credentials) {
        const health = this.#health.ofModel(route.supplier.id, credential, { modelId, nowMs })
        const candidate = new RankedCandidate(route, credential, health)
        const coolingUntilMs = health.credential.coolingUntilMs(nowMs)
        if (coolingUntilMs !== null) {
          field.freeAtMs = Math.min(field.freeAtMs ?? coolingUntilMs, coolingUntilMs)
          continue
        }
        candidate.isLikelySpent = health.credential.isLikelySpent(promptTokens, nowMs)
        if (health.isClosed) field.usable.push(candidate)
        else if (health.isProbeFree(nowMs)) field.halfOpen.push(candidate)
        else field.open.push(candidate)
      }
    }
    return field
  }
}

function idsOf({ route, credential }: Candidate, modelId: string): CandidateIds {
  return { modelId, supplierId: route.supplier.id, credentialId: credential.id }
}

const UNTRIED: Standing = {
  circuit: 'closed',
  opensAgainAtMs: null,
  coolingUntilMs: null,
  latencyMs: null,
  successRate: 1,
  supplierRemaining: null,
}

function secondsUntil(atMs: number | null, nowMs: number): number | null {
  return atMs === null ? null : Math.max(1, Math.ceil((atMs - nowMs) / 1_000))
}
