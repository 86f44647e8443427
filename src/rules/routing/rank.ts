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

/** Candidates of one rank and priority, best first. The leaders are equally good and share the load. */
export interface RankedGroup {
  readonly leaders: readonly RankedCandidate[]
  readonly followers: readonly RankedCandidate[]
}

/** Groups by standing and priority, best group first, each ranked within. */
export function rank(candidates: readonly RankedCandidate[], parts: RankingParts): RankedGroup[] {
  const [first] = candidates
  if (first === undefined) return []
  if (candidates.every((candidate) => compareGroups(candidate, first) === 0))
    return [rankGroup(candidates, parts)]
  const groups: RankedCandidate[][] = []
  for (const candidate of candidates.toSorted(compareGroups)) {
    const group = groups.at(-1)
    if (group?.[0] !== undefined && compareGroups(group[0], candidate) === 0) group.push(candidate)
    else groups.push([candidate])
  }
  return groups.map((group) => rankGroup(group, parts))
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
  scoreAll(group, parts)
  const leaders = leadersOf(group, parts)
  const followers = group.filter((candidate) => !leaders.includes(candidate)).sort(compareScores)
  return { leaders: shareLoad(leaders, parts), followers }
}

function scoreAll(group: readonly RankedCandidate[], parts: RankingParts): void {
  const costs = group.map(({ route }) => costOf(route.price, parts))
  const cheapest = Math.min(...costs)
  let fastestMs = Number.POSITIVE_INFINITY
  for (const { health } of group)
    fastestMs = Math.min(fastestMs, health.latencyMs ?? Number.POSITIVE_INFINITY)
  group.forEach((candidate, index) => {
    candidate.score = scoreOf(candidate, { cost: costs[index] ?? cheapest, cheapest, fastestMs }, parts)
  })
}

interface Measures {
  readonly cost: number
  readonly cheapest: number
  readonly fastestMs: number
}

function scoreOf({ health }: RankedCandidate, measures: Measures, { settings, nowMs }: RankingParts): Score {
  const { cost, cheapest, fastestMs } = measures
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
  const ofTokens =
    promptTokens * Number(rates.inputNanoPerMillion) + outputTokens * Number(rates.outputNanoPerMillion)
  return ofTokens + Number(rates.imageNano) * 1_000_000
}

/** The candidates close to the best score; if some of them speak the client's format, only those. */
function leadersOf(group: readonly RankedCandidate[], parts: RankingParts): RankedCandidate[] {
  let best = 0
  for (const { score } of group) best = Math.max(best, score?.whole ?? 0)
  const least = best * (1 - parts.settings.equalScoreMargin)
  const equals = group.filter(({ score }) => (score?.whole ?? 0) >= least)
  const speaking = equals.filter(({ route }) => route.formats.includes(parts.question.clientFormat))
  return speaking.length > 0 ? speaking : equals
}

// How far a candidate may lag behind the usual load. A larger lag is ignored, so that a candidate that returns does
// not get all traffic.
const MAX_LAG_SHARE = 0.1
const MAX_LAG_CONVERSATIONS = 2

/** Orders the leaders by load relative to weight, lowest first. */
function shareLoad(leaders: readonly RankedCandidate[], parts: RankingParts): RankedCandidate[] {
  if (leaders.length < 2) return [...leaders]
  const { random, nowMs, settings } = parts
  const recent = leaders.map(
    ({ health, credential }) => health.credential.recentLoadAt(nowMs) / credential.weight,
  )
  const mean = recent.reduce((sum, load) => sum + load, 0) / leaders.length
  const least = mean - Math.max(mean * MAX_LAG_SHARE, MAX_LAG_CONVERSATIONS * settings.loadOfConversation)
  leaders.forEach((leader, index) => {
    const { health, credential } = leader
    const load = recent[index] ?? 0
    if (load < least) health.credential.raiseLoadTo(least * credential.weight, nowMs)
    leader.load = Math.max(load, least) + health.credential.attemptsUnderWay / credential.weight
  })
  // Sorting keeps the order of equals, so a random start decides among them.
  const start = Math.floor(random() * leaders.length)
  return [...leaders.slice(start), ...leaders.slice(0, start)].sort((one, other) => one.load - other.load)
}

function compareScores(one: RankedCandidate, other: RankedCandidate): number {
  return (other.score?.whole ?? 0) - (one.score?.whole ?? 0)
}
