import type { RankedCandidate } from './candidate.ts'
import type { Pin } from './conversation-affinity.ts'
import { compareGroups, type RankedGroup, type RankingParts, rank } from './rank.ts'

/** The candidates of one request that are not cooling, by circuit state. */
export interface Field {
  readonly usable: RankedCandidate[]
  /** Their pause is over and no request is probing them. */
  readonly halfOpen: RankedCandidate[]
  readonly open: RankedCandidate[]
}

export interface ArrangingParts extends RankingParts {
  /** The credential that answered this conversation before, or null. */
  readonly pin: Pin | null
}

/** The candidates in the order in which to try them. */
export function arrangeCandidates(field: Field, parts: ArrangingParts): RankedCandidate[] {
  return field.usable.length === 0 ? arrangeLastResorts(field, parts) : arrangeWorking(field, parts)
}

/** No candidate is known to work: first one to probe, then all others, soonest to reopen first. */
function arrangeLastResorts({ halfOpen, open }: Field, { nowMs }: ArrangingParts): RankedCandidate[] {
  const candidates = [...halfOpen.sort(compareOpening), ...open.sort(compareOpening)]
  for (const candidate of candidates) candidate.place = 'last-resort'
  if (halfOpen[0] !== undefined) {
    promiseProbe(halfOpen[0], nowMs)
    // The probe gets the usual timeout; otherwise a candidate that became slow would never recover.
    halfOpen[0].patienceMs = null
  }
  return candidates
}

function arrangeWorking({ usable, halfOpen }: Field, parts: ArrangingParts): RankedCandidate[] {
  if (halfOpen.length === 0) return arrangeRanked(usable, parts)
  const best = usable.reduce((one, other) => (compareGroups(other, one) < 0 ? other : one))
  const probe = halfOpen.filter((candidate) => compareGroups(candidate, best) <= 0).sort(compareOpening)[0]
  // A candidate of lower priority is probed only when all better ones have failed.
  const spares = halfOpen.filter((candidate) => compareGroups(candidate, best) > 0)
  for (const spare of spares) spare.place = 'probe'
  const ordered = arrangeRanked([...usable, ...spares], parts)
  if (probe === undefined) return ordered
  promiseProbe(probe, parts.nowMs)
  probe.patienceMs = probePatienceMs(probe, best, parts) ?? probe.patienceMs
  return [probe, ...ordered]
}

function arrangeRanked(candidates: readonly RankedCandidate[], parts: ArrangingParts): RankedCandidate[] {
  const groups = rank(candidates, parts)
  const [first] = groups
  if (first === undefined) return []
  const ordered = groups.length === 1 ? [...first.candidates] : groups.flatMap((group) => group.candidates)
  chooseFirst(ordered, first, parts)
  spreadSuppliers(ordered)
  return ordered
}

/** Limits the wait for a probe, so that a hanging supplier does not use up the client's time. */
function probePatienceMs(
  probe: RankedCandidate,
  best: RankedCandidate,
  { settings }: ArrangingParts,
): number | null {
  const known = [probe.health.latencyMs, best.health.latencyMs].filter((latencyMs) => latencyMs !== null)
  if (known.length === 0) return null
  return Math.max(settings.shortestProbeMs, settings.probePatience * Math.max(...known))
}

function chooseFirst(ordered: RankedCandidate[], group: RankedGroup, parts: ArrangingParts): void {
  const pinned = parts.pin === null ? null : findPinned(group, parts.pin)
  if (pinned !== null) {
    pinned.place = 'affinity'
    moveFirst(ordered, pinned)
    return
  }
  const explored = drawExplored(group, parts)
  if (explored === null) return
  explored.place = 'explore'
  moveFirst(ordered, explored)
}

/** Looks only in the best group: a conversation moves back once a better priority works. */
function findPinned({ candidates }: RankedGroup, pin: Pin): RankedCandidate | null {
  for (const candidate of candidates) {
    const { credential, route } = candidate
    if (credential.id === pin.credentialId && route.supplier.id === pin.supplierId) return candidate
  }
  return null
}

/** Sometimes picks a candidate that is never first, to notice when it has improved. */
function drawExplored(
  { candidates, leaderCount }: RankedGroup,
  { random, settings }: ArrangingParts,
): RankedCandidate | null {
  const followerCount = candidates.length - leaderCount
  if (followerCount === 0 || random() >= settings.explorationShare) return null
  return candidates[leaderCount + Math.floor(random() * followerCount)] ?? null
}

function promiseProbe(candidate: RankedCandidate, nowMs: number): void {
  candidate.place = 'probe'
  candidate.health.leaseProbe(candidate, nowMs)
}

function moveFirst(ordered: RankedCandidate[], candidate: RankedCandidate): void {
  ordered.splice(ordered.indexOf(candidate), 1)
  ordered.unshift(candidate)
}

function compareOpening(one: RankedCandidate, other: RankedCandidate): number {
  return (one.health.opensAgainAtMs ?? 0) - (other.health.opensAgainAtMs ?? 0)
}

/**
 * Puts another supplier among the first few candidates. The number of attempts is limited, and what fails one
 * credential of a supplier often fails all of them. The second candidate comes from another supplier of the same rank
 * if there is one; otherwise the third comes from any other supplier.
 */
export function spreadSuppliers(ordered: RankedCandidate[]): void {
  const [first] = ordered
  if (first === undefined || ordered.length < 3) return
  const isElsewhere = (candidate: RankedCandidate) => candidate.route.supplier.id !== first.route.supplier.id
  const alike = ordered.findIndex(
    (candidate) => isElsewhere(candidate) && compareGroups(candidate, first) === 0,
  )
  if (alike > 1) move(ordered, alike, 1)
  if (alike !== -1) return
  const other = ordered.findIndex(isElsewhere)
  if (other > 2) move(ordered, other, 2)
}

function move(ordered: RankedCandidate[], from: number, to: number): void {
  ordered.splice(to, 0, ...ordered.splice(from, 1))
}
