import { compareGroups } from './rank.ts'
import type { RankedCandidate } from './ranked-candidate.ts'

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
