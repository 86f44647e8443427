import type { RankedCandidate } from './candidate.ts'
import type { Pin } from './conversation-affinity.ts'
import { compareGroups, type RankedGroup, type RankingParts, rank } from './rank.ts'

/** The candidates of one question that are not cooling, by what may be done with them now. */
export interface Field {
  readonly usable: RankedCandidate[]
  /** Their pause is over and nobody is finding out yet whether they work again. */
  readonly halfOpen: RankedCandidate[]
  readonly open: RankedCandidate[]
}

export interface ArrangingParts extends RankingParts {
  /** Who answered this conversation before; null when nobody did. */
  readonly pin: Pin | null
}

/** What to try, in this order. */
export function arrangeCandidates(field: Field, parts: ArrangingParts): RankedCandidate[] {
  return field.usable.length === 0 ? arrangeLastResorts(field, parts) : arrangeWorking(field, parts)
}

/** Nothing is known to work: one that may be probed, then all others, soonest to open first. */
function arrangeLastResorts({ halfOpen, open }: Field, { nowMs }: ArrangingParts): RankedCandidate[] {
  const candidates = [...halfOpen.sort(compareOpening), ...open.sort(compareOpening)]
  for (const candidate of candidates) candidate.place = 'last-resort'
  if (halfOpen[0] !== undefined) {
    promiseProbe(halfOpen[0], nowMs)
    // One at a time waits as long as usual, or one that has only become slow would never be found to work.
    halfOpen[0].patienceMs = null
  }
  return candidates
}

function arrangeWorking({ usable, halfOpen }: Field, parts: ArrangingParts): RankedCandidate[] {
  const best = usable.reduce((one, other) => (compareGroups(other, one) < 0 ? other : one))
  const probe = halfOpen.filter((candidate) => compareGroups(candidate, best) <= 0).sort(compareOpening)[0]
  // Of a worse priority, one is probed only when it would be used: after everything better has failed.
  const spares = halfOpen.filter((candidate) => compareGroups(candidate, best) > 0)
  for (const spare of spares) spare.place = 'probe'
  const groups = rank([...usable, ...spares], parts)
  const ordered = groups.flatMap(({ leaders, followers }) => [...leaders, ...followers])
  if (groups[0] !== undefined) chooseFirst(ordered, groups[0], parts)
  spreadSuppliers(ordered)
  if (probe === undefined) return ordered
  promiseProbe(probe, parts.nowMs)
  probe.patienceMs = probePatienceMs(probe, best, parts) ?? probe.patienceMs
  return [probe, ...ordered]
}

/** A supplier that hangs must not keep its probe's client waiting until all the time there is has passed. */
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

/** Only among the best group: a conversation does not hold on to a worse priority once a better one works. */
function findPinned({ leaders, followers }: RankedGroup, pin: Pin): RankedCandidate | null {
  const isPinned = ({ route, credential }: RankedCandidate) =>
    credential.id === pin.credentialId && route.supplier.id === pin.supplierId
  return leaders.find(isPinned) ?? followers.find(isPinned) ?? null
}

/** Now and then one that is never first, or nobody would notice that it has become better. */
function drawExplored(
  { followers }: RankedGroup,
  { random, settings }: ArrangingParts,
): RankedCandidate | null {
  if (followers.length === 0 || random() >= settings.explorationShare) return null
  return followers[Math.floor(random() * followers.length)] ?? null
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
 * Sees to it that the first few do not all depend on one supplier, because only so many are tried and what fails one
 * credential of a supplier often fails them all. The second comes from another supplier of the same standing if there
 * is one, and the third from any other when the first two do not differ.
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
