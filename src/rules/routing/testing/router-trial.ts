import type { FailureKind } from '../../../errors/supplier-failure.ts'
import type { Credential, Supplier } from '../../../vocabulary/supply.ts'
import { A_PRICE, aCredential, aRoute, aSupplier } from '../../../vocabulary/testing/specimens.ts'
import type { Candidate } from '../candidate.ts'
import type { EligibleRoute } from '../eligible-routes.ts'
import { type AttemptVerdict, Router, type RoutingOrder, type RoutingQuestion } from '../router.ts'
import type { RoutingSettings } from '../routing-settings.ts'

const MODEL = 'model-1'

/** The same numbers in every run. */
export function seeded(seed = 1): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export interface RouteFields {
  readonly supplier?: string
  readonly credentials: readonly string[]
  readonly weights?: readonly number[]
  readonly priority?: number
  /** As a multiple of the usual price. */
  readonly priceTimes?: bigint
  readonly source?: Supplier['source']
  readonly formats?: EligibleRoute['formats']
}

/** A route of a supplier that is named after its first credential by default. */
export function routeOf(fields: RouteFields): EligibleRoute {
  const { credentials, weights = [], priority = 1, priceTimes = 1n, source = 'shared' } = fields
  const id = fields.supplier ?? `of-${credentials[0]}`
  return {
    route: aRoute({ supplierId: id, priority }),
    cost: null,
    price: {
      ...A_PRICE,
      inputNanoPerMillion: A_PRICE.inputNanoPerMillion * priceTimes,
      outputNanoPerMillion: A_PRICE.outputNanoPerMillion * priceTimes,
    },
    supplier: aSupplier({ id, source }),
    formats: fields.formats ?? ['chat-completion'],
    credentials: credentials.map(
      (name, index): Credential => aCredential({ id: name, supplierId: id, weight: weights[index] ?? 1 }),
    ),
  }
}

export const ANSWERED = { type: 'answered', firstByteMs: 100, remaining: null } as const

export function failed(kind: FailureKind, retryAfterSeconds: number | null = null): AttemptVerdict {
  return { type: 'failed', failure: { kind, status: null, retryAfterSeconds }, remaining: null }
}

export interface TrialOptions {
  readonly random?: () => number
  readonly settings?: Partial<RoutingSettings>
}

/** A router on a fake clock, with short methods for what happens to it. */
export class RouterTrial {
  nowMs = 1_000
  /** Changes when a test sets the system clock. */
  wallAheadMs = 1_700_000_000_000
  readonly router: Router

  // Nothing is explored unless a test is about that: it would make every other expectation a matter of chance.
  constructor({ random = seeded(), settings = {} }: TrialOptions = {}) {
    // The two run at the same pace from different beginnings, as they do in a real process.
    const clock = { nowMs: () => this.nowMs + this.wallAheadMs, monotonicMs: () => this.nowMs }
    this.router = new Router({ clock, random, settings: { explorationShare: 0, ...settings } })
  }

  pass(seconds: number): void {
    this.nowMs += seconds * 1_000
  }

  order(routes: readonly EligibleRoute[], question: Partial<RoutingQuestion> = {}): RoutingOrder {
    return this.router.order({
      modelId: MODEL,
      routes,
      clientFormat: 'chat-completion',
      conversation: null,
      promptTokens: 100,
      outputTokens: 100,
      ...question,
    })
  }

  ids(routes: readonly EligibleRoute[], question: Partial<RoutingQuestion> = {}): string[] {
    return this.order(routes, question).candidates.map(({ credential }) => credential.id)
  }

  /** The candidate with this credential, whatever its standing. */
  candidate(routes: readonly EligibleRoute[], credentialId: string): Candidate {
    for (const route of routes) {
      const credential = route.credentials.find(({ id }) => id === credentialId)
      if (credential !== undefined) return { route, credential, reason: 'test' }
    }
    throw new Error(`no credential ${credentialId}`)
  }

  /** One whole attempt at a candidate that was not necessarily first in any order. */
  attempt(candidate: Candidate, ...results: readonly AttemptVerdict[]): void {
    for (const result of results) {
      this.router.begin(candidate, MODEL)
      this.router.end({ candidate, modelId: MODEL, result })
    }
  }

  begin(candidate: Candidate): boolean {
    return this.router.begin(candidate, MODEL)
  }

  end(candidate: Candidate, result: AttemptVerdict): void {
    this.router.end({ candidate, modelId: MODEL, result })
  }

  standing({ route, credential }: Candidate) {
    return this.router.standing({
      modelId: MODEL,
      supplierId: route.supplier.id,
      credentialId: credential.id,
    })
  }
}
