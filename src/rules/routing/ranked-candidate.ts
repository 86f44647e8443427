import type { Credential } from '../../vocabulary/supply.ts'
import type { CandidateHealth } from './candidate-health.ts'
import type { EligibleRoute } from './eligible-routes.ts'
import type { Candidate } from './order-candidates.ts'

/** What put a candidate where it stands. */
export type Place = 'only' | 'score' | 'affinity' | 'explore' | 'probe' | 'last-resort'

/** The parts of a score, each from 0 to 1, and the whole of it. */
export interface Score {
  readonly whole: number
  readonly price: number
  readonly latency: number
  readonly success: number
}

/** A candidate with what the router knows about it. One is made for each request, so it also names the attempt. */
export class RankedCandidate implements Candidate {
  readonly route: EligibleRoute
  readonly credential: Credential
  readonly health: CandidateHealth
  place: Place = 'score'
  score: Score | null = null
  load = 0
  /** What the supplier said it has left does not seem to be enough. */
  isLikelySpent = false
  patienceMs: number | null = null
  /** Whether it has been counted as load before its attempt began. */
  isExpected = false

  constructor(route: EligibleRoute, credential: Credential, health: CandidateHealth) {
    this.route = route
    this.credential = credential
    this.health = health
  }

  /** Written only when asked for, because most candidates are never tried. */
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
