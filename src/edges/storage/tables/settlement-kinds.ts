import type { Settlement } from '../../../vocabulary/settlement.ts'
import { encodePrice } from '../columns.ts'

/**
 * Puts those together that differ in nothing but their figures. Of each key there are few kinds, so looking through
 * them takes less than making up a name for each settlement to look it up by.
 */
export function groupByKind(settlements: readonly Settlement[]): Settlement[][] {
  const groups: Settlement[][] = []
  const ofKeys = new Map<string, Settlement[][]>()
  for (const settlement of settlements) {
    const ofKey = ofKeys.get(settlement.keyId)
    const known = ofKey?.find(([first]) => first !== undefined && areOfOneKind(first, settlement))
    if (known !== undefined) {
      known.push(settlement)
      continue
    }
    const group = [settlement]
    groups.push(group)
    if (ofKey === undefined) ofKeys.set(settlement.keyId, [group])
    else ofKey.push(group)
  }
  return groups
}

/** Whether `encodeKind` gives the same for both. */
function areOfOneKind(one: Settlement, other: Settlement): boolean {
  return (
    one.accountId === other.accountId &&
    one.keyId === other.keyId &&
    one.model === other.model &&
    one.supplier === other.supplier &&
    one.credentialId === other.credentialId &&
    one.clientFormat === other.clientFormat &&
    one.supplierFormat === other.supplierFormat &&
    one.stream === other.stream &&
    one.provenance === other.provenance &&
    one.outcome === other.outcome &&
    (one.price === other.price || encodePrice(one.price) === encodePrice(other.price))
  )
}
