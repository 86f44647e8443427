import type { Credential } from '../../vocabulary/supply.ts'
import type { CandidateHealth } from './candidate-health.ts'
import type { EligibleRoute } from './eligible-routes.ts'
import type { Random } from './routing-settings.ts'

/** One route with one credential. */
export interface Candidate {
  readonly route: EligibleRoute
  readonly credential: Credential
  /** The reason for its position, recorded with the attempt. */
  readonly reason: string
  /** The time allowed until its first byte, when that is shorter than usual. */
  readonly patienceMs?: number | null
}

/**
 * The order in which to try: routes by priority, and within equal priority credentials by chance in proportion to
 * their weight, so that load spreads without any state.
 */
export function orderCandidates(routes: readonly EligibleRoute[], random: Random): Candidate[] {
  const drawn = routes.flatMap((route) =>
    route.credentials.map((credential) => ({
      route,
      credential,
      reason: `priority ${route.route.priority}, weight ${credential.weight}`,
      // Exponential clocks: the smallest draw wins with a chance in proportion to its weight.
      draw: -Math.log(1 - random()) / credential.weight,
    })),
  )
  drawn.sort((one, other) => one.route.route.priority - other.route.route.priority || one.draw - other.draw)
  return drawn.map(({ route, credential, reason }) => ({ route, credential, reason }))
}

/** Why a candidate has its position. */
export type Place = 'only' | 'score' | 'affinity' | 'explore' | 'probe' | 'last-resort'

/** The parts of a score, each from 0 to 1, and the whole of it. */
export interface Score {
  readonly whole: number
  readonly price: number
  readonly latency: number
  readonly success: number
}

/** A candidate with what the router knows about it. Created per request, so it also identifies the attempt. */
export class RankedCandidate implements Candidate {
  readonly route: EligibleRoute
  readonly credential: Credential
  readonly health: CandidateHealth
  place: Place = 'score'
  score: Score | null = null
  /** What the request would cost there, for comparison only. */
  cost = 0
  load = 0
  /** The capacity that the supplier reported is probably too small. */
  isLikelySpent = false
  patienceMs: number | null
  /** Whether it has been counted as load before its attempt began. */
  isExpected = false

  constructor(route: EligibleRoute, credential: Credential, health: CandidateHealth) {
    this.route = route
    this.credential = credential
    this.health = health
    this.patienceMs = health.shortenedWaitMs
  }

  get points(): number {
    return this.score === null ? 0 : this.score.whole
  }

  /** Computed only when read, because most candidates are never tried. */
  get reason(): string {
    switch (this.place) {
      case 'only':
        return 'only candidate'
      case 'last-resort':
        return 'last resort'
      case 'score':
        return this.isLikelySpent ? `${this.#describeScore()}, little capacity left` : this.#describeScore()
      default:
        return this.place
    }
  }

  #describeScore(): string {
    if (this.score === null) return 'unscored'
    const { whole, price, latency, success } = this.score
    const [ofWhole, ofPrice, ofLatency, ofSuccess] = [whole, price, latency, success].map(twoDigits)
    return `score ${ofWhole}: price ${ofPrice} latency ${ofLatency} success ${ofSuccess}`
  }
}

function twoDigits(part: number): number {
  return Math.round(part * 100) / 100
}
