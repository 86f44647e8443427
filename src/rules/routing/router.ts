import type { SteadyClock } from '../../vocabulary/clock.ts'
import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Format, Standing } from '../../vocabulary/supply.ts'
import { arrangeCandidates, type Field } from './arrange-candidates.ts'
import { type Candidate, type Random, RankedCandidate } from './candidate.ts'
import type { CandidateHealth, RoutingFailure } from './candidate-health.ts'
import { ConversationAffinity, type Pin } from './conversation-affinity.ts'
import type { EligibleRoute } from './eligible-routes.ts'
import { type RoutingSettings, USUAL_ROUTING } from './routing-settings.ts'
import type { SupplierRemaining } from './supplier-headers.ts'
import { type CandidateIds, changesSince, outlookOf, type RoutingNews, SupplyHealth, type SupplyNews } from './supply-health.ts'

export type { SupplierRemaining } from './supplier-headers.ts'

/** What is to be answered, and by which routes it may be. */
export interface RoutingQuestion {
  readonly modelId: string
  readonly routes: readonly EligibleRoute[]
  /** A route that speaks it is preferred when all else is equal. */
  readonly clientFormat: Format
  /** Names the conversation, in a way no other caller can; null: it is not known. */
  readonly conversation: string | null
  readonly promptTokens: number
  readonly outputTokens: number
}

export interface RoutingOrder {
  /** What to try, in this order. */
  readonly candidates: readonly Candidate[]
  /** Whole seconds until the first candidate left out for lack of capacity can be used; null: none was. */
  readonly freeInSeconds: number | null
}

/** How an attempt ended. `abandoned`: for reasons that say nothing about the candidate. */
export type AttemptResult =
  | {
      readonly type: 'answered'
      readonly firstByteMs: number
      readonly remaining: SupplierRemaining | null
      /** Only its beginning is there; how it ends is told to `endStream`. */
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
  readonly result: AttemptResult
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
  /** Told what other nodes should know as well; absent where there are none. */
  readonly tell?: ((news: RoutingNews) => void) | undefined
}

interface Survey extends Field {
  /** When the first of those left out for lack of capacity can be used; null: none was. */
  freeAtMs: number | null
}

/**
 * Decides what to try in which order, and learns from how each attempt ends. All its times are those of the monotonic
 * clock: a machine whose clock is set neither lets anything cool for hours nor forgets that it cools.
 */
export class Router {
  readonly #clock: SteadyClock
  readonly #random: Random
  readonly #settings: RoutingSettings
  readonly #health: SupplyHealth
  readonly #affinity: ConversationAffinity
  readonly #tell: ((news: RoutingNews) => void) | null

  constructor({ clock, random, settings = {}, tell }: RouterParts) {
    this.#clock = clock
    this.#tell = tell ?? null
    this.#random = random
    this.#settings = { ...USUAL_ROUTING, ...settings }
    this.#health = new SupplyHealth({ settings: this.#settings, random })
    this.#affinity = new ConversationAffinity(this.#settings)
  }

  /** How much is remembered. */
  get size(): { readonly candidates: number; readonly conversations: number } {
    return { candidates: this.#health.size, conversations: this.#affinity.size }
  }

  order(question: RoutingQuestion): RoutingOrder {
    const nowMs = this.#clock.monotonicMs()
    const only = this.#onlyWorking(question, nowMs)
    if (only !== null) return { candidates: [only], freeInSeconds: null }
    const field = this.#survey(question, nowMs)
    const { conversation } = question
    const pin = conversation === null ? null : this.#affinity.recall(conversation, nowMs)
    const parts = { settings: this.#settings, random: this.#random, nowMs, question, pin }
    const candidates = arrangeCandidates(field, parts)
    const [first] = candidates
    if (first !== undefined) {
      first.isExpected = true
      // The further turns of a new conversation will come to the same credential.
      const isNew = conversation !== null && pin === null
      first.health.credential.addLoad(isNew ? this.#settings.loadOfConversation : 1, nowMs)
    }
    return { candidates, freeInSeconds: secondsUntil(field.freeAtMs, nowMs) }
  }

  /** An attempt begins. False: the candidate was to be probed and another request is at it; leave it alone. */
  begin(candidate: Candidate, modelId: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    const health = this.#healthOf(candidate, modelId, nowMs)
    const ranked = candidate instanceof RankedCandidate ? candidate : null
    const mayBegin = health.isClosed || health.beginProbe(candidate, nowMs) || ranked?.place === 'last-resort'
    if (!mayBegin) return false
    health.usedAtMs = nowMs
    health.credential.begin()
    if (ranked?.isExpected !== true) health.credential.addLoad(1, nowMs)
    this.#health.sweep(nowMs)
    return true
  }

  end(ended: EndedAttempt): void {
    const { candidate, modelId } = ended
    const nowMs = this.#clock.monotonicMs()
    const health = this.#healthOf(candidate, modelId, nowMs)
    health.usedAtMs = nowMs
    health.credential.end()
    if (this.#tell === null) this.#note(health, ended, nowMs)
    else this.#telling(health, idsOf(candidate, modelId), () => this.#note(health, ended, nowMs))
  }

  #note(health: CandidateHealth, { candidate, result }: EndedAttempt, nowMs: number): void {
    const isStreaming = result.type === 'answered' && result.isStreaming === true
    if (isStreaming) health.noteBegun(result.firstByteMs, candidate, nowMs)
    else if (result.type === 'answered') health.noteAnswer(result.firstByteMs, nowMs)
    else if (result.type === 'failed') health.noteFailure(result.failure, candidate, nowMs)
    if (!isStreaming) health.endProbe(candidate)
    if (result.type === 'abandoned' || result.remaining === null) return
    health.credential.noteRemaining(result.remaining, nowMs)
  }

  /** An answer that had begun has ended, well or not. */
  endStream({ candidate, modelId, begunAtMs, result }: EndedStream): void {
    const nowMs = this.#clock.monotonicMs()
    const health = this.#healthOf(candidate, modelId, nowMs)
    this.#telling(health, idsOf(candidate, modelId), () => {
      if (result.type === 'completed') health.noteEnded(begunAtMs, nowMs)
      else if (result.type === 'failed') health.noteFailure(result.failure, candidate, nowMs)
      health.endProbe(candidate)
    })
  }

  /** A credential that seemed to be refused has been verified to work. */
  noteAccepted(ids: CandidateIds): void {
    const health = this.#health.find(ids)
    if (health === null) return
    this.#telling(health, ids, () => health.credential.circuit.succeed(this.#clock.monotonicMs()))
  }

  /** A refusal has been verified: the credential rests for all models, or only for this one. */
  noteRefused(ids: CandidateIds, scope: 'credential' | 'model'): void {
    const health = this.#health.find(ids)
    if (health === null) return
    const circuit = scope === 'model' ? health.circuit : health.credential.circuit
    this.#telling(health, ids, () => health.rest(circuit, this.#clock.monotonicMs()))
  }

  /** Whether any model has answered with this credential within the last minutes. */
  hasAnsweredLately(ids: Omit<CandidateIds, 'modelId'>): boolean {
    return this.#health.findCredential(ids)?.hasAnsweredLately(this.#clock.monotonicMs()) ?? false
  }

  /** Changes what is known of a candidate, and tells other nodes what they should know of it. */
  #telling(health: CandidateHealth, ids: CandidateIds, change: () => void): void {
    if (this.#tell === null) {
      change()
      return
    }
    const nowMs = this.#clock.monotonicMs()
    const before = outlookOf(health, nowMs)
    change()
    for (const news of changesSince(before, outlookOf(health, nowMs), { ids, nowMs })) this.#tell(news)
  }

  /**
   * Those routes and credentials that work and are not cooling, as far as is known. Only a look: nobody is promised a
   * probe, and nothing is counted.
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

  /** Whole seconds until the first credential that is cooling can be used; null: none is. */
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
    const isNews = this.#tell !== null && !this.#affinity.isFresh(conversation, pin, nowMs)
    this.#affinity.remember(conversation, pin, nowMs)
    if (isNews) this.#tell?.({ type: 'pinned', conversation, ...pin, forMs: this.#settings.conversationMs })
  }

  /** Another node keeps this conversation with this credential. */
  learnPin(conversation: string, pin: Pin): void {
    this.#affinity.remember(conversation, pin, this.#clock.monotonicMs())
  }

  /** Another node has learned this of a credential, as it is configured now. */
  learn(news: SupplyNews, credential: Credential): void {
    const nowMs = this.#clock.monotonicMs()
    if (news.type === 'cooling') {
      this.#health.ofCredential(news.supplierId, credential).coolUntil(nowMs + news.forMs)
      return
    }
    const { circuit } = this.#health.ofModel(news.supplierId, credential, { modelId: news.modelId, nowMs })
    if (news.type === 'circuit-opened') circuit.openFor(news.forMs, nowMs)
    else circuit.succeed(nowMs)
  }

  /** Starts afresh with a credential, for when an operator has seen to it. */
  forgetCredential(ids: Omit<CandidateIds, 'modelId'>): void {
    this.#health.forgetCredential(ids)
  }

  /** The supply has changed: what is gone from it is forgotten. */
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

  /** The usual case of small installations: one candidate, and nothing wrong with it. */
  #onlyWorking({ routes, modelId }: RoutingQuestion, nowMs: number): RankedCandidate | null {
    const route = routes[0]
    const credential = route?.credentials[0]
    if (route === undefined || credential === undefined) return null
    if (routes.length > 1 || route.credentials.length > 1) return null
    const only = this.#rankable(route, credential, { modelId, nowMs })
    if (!only.health.isClosed || only.health.credential.coolingUntilMs(nowMs) !== null) return null
    only.place = 'only'
    return only
  }

  #survey({ routes, modelId, promptTokens }: RoutingQuestion, nowMs: number): Survey {
    const field: Survey = { usable: [], halfOpen: [], open: [], freeAtMs: null }
    for (const route of routes) {
      for (const credential of route.credentials) {
        const candidate = this.#rankable(route, credential, { modelId, nowMs })
        const coolingUntilMs = candidate.health.credential.coolingUntilMs(nowMs)
        if (coolingUntilMs !== null) {
          field.freeAtMs = Math.min(field.freeAtMs ?? coolingUntilMs, coolingUntilMs)
          continue
        }
        candidate.isLikelySpent = candidate.health.credential.isLikelySpent(promptTokens, nowMs)
        if (candidate.health.isClosed) field.usable.push(candidate)
        else if (candidate.health.isProbeFree(nowMs)) field.halfOpen.push(candidate)
        else field.open.push(candidate)
      }
    }
    return field
  }

  #rankable(
    route: EligibleRoute,
    credential: Credential,
    occasion: { readonly modelId: string; readonly nowMs: number },
  ): RankedCandidate {
    const health = this.#health.ofModel(route.supplier.id, credential, occasion)
    const candidate = new RankedCandidate(route, credential, health)
    candidate.patienceMs = health.shortenedWaitMs
    return candidate
  }

  /** A candidate brings its health along, so that one with an old secret does not speak for the new one. */
  #healthOf(candidate: Candidate, modelId: string, nowMs: number): CandidateHealth {
    return candidate instanceof RankedCandidate
      ? candidate.health
      : this.#health.of(candidate, modelId, nowMs)
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
