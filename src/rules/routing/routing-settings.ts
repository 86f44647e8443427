/** A number from 0 up to but not including 1. */
export type Random = () => number

/** Every number that the routing rules use. */
export interface RoutingSettings {
  /** Failures in a row that open a circuit. */
  readonly failuresToOpen: number
  /** A recent share of answers no better than this opens a circuit too, once there are enough attempts to judge by. */
  readonly badSuccessRate: number
  readonly attemptsToJudge: number
  readonly shortestPauseMs: number
  readonly longestPauseMs: number
  /** How long to pause a credential that the supplier refused. Only an operator can fix it. */
  readonly refusedPauseMs: number
  /** How long a probe that was handed out may wait before another request gets it. */
  readonly probeLeaseMs: number
  /** How long the answer of a probe may take to end before another request becomes a probe as well. */
  readonly probeStreamMs: number
  /** A probe that others could answer instead is given up after so many times the usual latency, but not before this. */
  readonly probePatience: number
  readonly shortestProbeMs: number
  /**
   * After so many time-outs in a row a supplier is waited for no longer than so many times its slowest recent answer,
   * but at least this long.
   */
  readonly timeoutsToShorten: number
  readonly waitPatience: number
  readonly shortestWaitMs: number
  /** How long to pause a rate-limited credential when the supplier gives no time. */
  readonly coolingSeconds: number
  readonly longestCoolingSeconds: number
  /** The longest pause. Suppliers may ask for days; one attempt per hour is cheap and notices changes. */
  readonly longestAskedCoolingSeconds: number
  /** Share of requests that go to a candidate other than the best, to keep measuring it. */
  readonly explorationShare: number
  /** Scores this close to the best count as equal, and equals share the load. */
  readonly equalScoreMargin: number
  /** How much of the score is price; the rest is latency. */
  readonly priceShare: number
  /** Up to this multiple of the fastest, latency is noise and costs nothing. */
  readonly latencyGrace: number
  /** The weight of recent latency and success halves in this time. */
  readonly memoryHalfLifeMs: number
  readonly loadHalfLifeMs: number
  /** How many requests a new conversation counts as, because its later turns are not known yet. */
  readonly loadOfConversation: number
  readonly mostConversations: number
  readonly conversationMs: number
  /** Entries unused for this long are forgotten. */
  readonly idleMs: number
}

const MINUTE_MS = 60_000

export const USUAL_ROUTING: RoutingSettings = {
  failuresToOpen: 3,
  badSuccessRate: 0.5,
  attemptsToJudge: 10,
  shortestPauseMs: 1_000,
  longestPauseMs: MINUTE_MS,
  refusedPauseMs: 10 * MINUTE_MS,
  probeLeaseMs: 2_000,
  probeStreamMs: 30_000,
  probePatience: 4,
  shortestProbeMs: 5_000,
  timeoutsToShorten: 2,
  waitPatience: 2,
  shortestWaitMs: 30_000,
  coolingSeconds: 5,
  longestCoolingSeconds: 60,
  longestAskedCoolingSeconds: 3_600,
  explorationShare: 0.02,
  equalScoreMargin: 0.1,
  priceShare: 0.5,
  latencyGrace: 1.5,
  memoryHalfLifeMs: MINUTE_MS,
  loadHalfLifeMs: 3 * MINUTE_MS,
  loadOfConversation: 10,
  mostConversations: 50_000,
  conversationMs: 60 * MINUTE_MS,
  idleMs: 60 * MINUTE_MS,
}
