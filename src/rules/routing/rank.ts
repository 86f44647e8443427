import type { Price } from '../../vocabulary/price.ts'
import type { Format } from '../../vocabulary/supply.ts'
import type { RankedCandidate, Score } from './candidate.ts'
import type { Random, RoutingSettings } from './routing-settings.ts'

/** What a ranking depends on besides the candidates. */
export interface RankingParts {
  readonly settings: RoutingSettings
  readonly random: Random
  readonly nowMs: number
  readonly question: {
    readonly clientFormat: Format
    readonly promptTokens: number
    readonly outputTokens: number
    readonly ratesOf?: ((price: Price) => Price) | undefined
  }
}

/** Candidates of one rank and priority, best first. The leaders among them are equally good and share the load. */
export interface RankedGroup {
  readonly candidates: readonly RankedCandidate[]
  /** How many of the first ones are leaders. */
  readonly leaderCount: number
}

// Every request with a choice comes through here, and most find one group of equals: hence loops over few arrays.

/** Groups by standing and priority, best group first, each ranked within. */
export function rank(candidates: readonly RankedCandidate[], parts: RankingParts): RankedGroup[] {
  if (isOneGroup(candidates)) return [rankGroup(candidates, parts)]
  const groups: RankedCandidate[][] = []
  for (const candidate of candidates.toSorted(compareGroups)) {
    const group = groups.at(-1)
    if (group?.[0] !== undefined && compareGroups(group[0], candidate) === 0) group.push(candidate)
    else groups.push([candidate])
  }
  return groups.map((group) => rankGroup(group, parts))
}

function isOneGroup(candidates: readonly RankedCandidate[]): boolean {
  const [first] = candidates
  if (first === undefined) return false
  for (const candidate of candidates) if (compareGroups(candidate, first) !== 0) return false
  return true
}

/** Negative when `one` goes first regardless of scores; 0 when scores decide. */
export function compareGroups(one: RankedCandidate, other: RankedCandidate): number {
  return tierOf(one) - tierOf(other) || one.route.route.priority - other.route.route.priority
}

/** Capacity first, then an account's own suppliers before shared ones. */
function tierOf({ isLikelySpent, route }: RankedCandidate): number {
  return (isLikelySpent ? 2 : 0) + (route.supplier.source === 'byok' ? 0 : 1)
}

function rankGroup(group: readonly RankedCandidate[], parts: RankingParts): RankedGroup {
  const best = scoreAll(group, parts)
  const least = best * (1 - parts.settings.equalScoreMargin)
  const { clientFormat } = parts.question
  // Among the candidates close to the best score, those that speak the client's format lead alone.
  let isSpoken = false
  for (const candidate of group) isSpoken ||= candidate.points >= least && speaks(candidate, clientFormat)
  const leaders: RankedCandidate[] = []
  const followers: RankedCandidate[] = []
  for (const candidate of group) {
    const leads = candidate.points >= least && (!isSpoken || speaks(candidate, clientFormat))
    if (leads) leaders.push(candidate)
    else followers.push(candidate)
  }
  const candidates = shareLoad(leaders, parts)
  followers.sort(compareScores)
  for (const follower of followers) candidates.push(follower)
  return { candidates, leaderCount: leaders.length }
}

function speaks({ route }: RankedCandidate, format: Format): boolean {
  return route.formats.includes(format)
}

/** Returns the best score. */
function scoreAll(group: readonly RankedCandidate[], parts: RankingParts): number {
  let cheapest = Number.POSITIVE_INFINITY
  let fastestMs = Number.POSITIVE_INFINITY
  for (const candidate of group) {
    candidate.cost = costOf(candidate.route.price, parts)
    cheapest = Math.min(cheapest, candidate.cost)
    fastestMs = Math.min(fastestMs, candidate.health.latencyMs ?? Number.POSITIVE_INFINITY)
  }
  let best = 0
  for (const candidate of group) {
    candidate.score = scoreOf(candidate, { cheapest, fastestMs }, parts)
    best = Math.max(best, candidate.score.whole)
  }
  return best
}

/** The best of the candidates that are compared. */
interface Best {
  readonly cheapest: number
  readonly fastestMs: number
}

function scoreOf(
  { health, cost }: RankedCandidate,
  { cheapest, fastestMs }: Best,
  { settings, nowMs }: RankingParts,
): Score {
  const price = cost <= cheapest ? 1 : cheapest / cost
  const latency = latencyPart(health.latencyNear(fastestMs, nowMs), fastestMs, settings.latencyGrace)
  const success = health.successRate(nowMs)
  // Success multiplies: neither price nor speed makes up for a failed answer.
  const whole = success * success * (settings.priceShare * price + (1 - settings.priceShare) * latency)
  return { whole, price, latency, success }
}

function latencyPart(latencyMs: number, fastestMs: number, grace: number): number {
  const toleratedMs = fastestMs * grace
  return latencyMs <= toleratedMs ? 1 : toleratedMs / latencyMs
}

/** In nano-USDT per million tokens of such requests. Used only to compare, never to charge. */
function costOf(price: Price, { question }: RankingParts): number {
  const { promptTokens, outputTokens, ratesOf } = question
  const rates = ratesOf?.(price) ?? price
  const { input, output, image } = comparableOf.get(rates) ?? addComparable(rates)
  return promptTokens * input + outputTokens * output + image * 1_000_000
}

interface ComparableRates {
  readonly input: number
  readonly output: number
  readonly image: number
}

// Prices are immutable, and making numbers of big integers takes longer than finding them.
const comparableOf = new WeakMap<Price, ComparableRates>()

function addComparable(price: Price): ComparableRates {
  const rates = {
    input: Number(price.inputNanoPerMillion),
    output: Number(price.outputNanoPerMillion),
    image: Number(price.imageNano),
  }
  comparableOf.set(price, rates)
  return rates
}

// How far a candidate may lag behind the usual load. A larger lag is ignored, so that a candidate that returns does
// not get all traffic.
const MAX_LAG_SHARE = 0.1
const MAX_LAG_CONVERSATIONS = 2

/** The leaders by load relative to weight, lowest first, in a list of their own. */
function shareLoad(leaders: readonly RankedCandidate[], parts: RankingParts): RankedCandidate[] {
  if (leaders.length < 2) return [...leaders]
  const { random, nowMs, settings } = parts
  let sum = 0
  for (const leader of leaders) {
    leader.load = leader.health.credential.recentLoadAt(nowMs) / leader.credential.weight
    sum += leader.load
  }
  const mean = sum / leaders.length
  const least = mean - Math.max(mean * MAX_LAG_SHARE, MAX_LAG_CONVERSATIONS * settings.loadOfConversation)
  for (const leader of leaders) {
    const { credential } = leader.health
    const { weight } = leader.credential
    if (leader.load < least) credential.raiseLoadTo(least * weight, nowMs)
    leader.load = Math.max(leader.load, least) + credential.attemptsUnderWay / weight
  }
  // Sorting keeps the order of equals, so a random start decides among them.
  const start = Math.floor(random() * leaders.length)
  return [...leaders.slice(start), ...leaders.slice(0, start)].sort(compareLoads)
}

function compareLoads(one: RankedCandidate, other: RankedCandidate): number {
  return one.load - other.load
}

function compareScores(one: RankedCandidate, other: RankedCandidate): number {
  return other.points - one.points
}
