import type { HoldDecision, HoldDemand } from '../../serve/ports/admissions.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

/** What may still be held; null where nothing bounds it. */
export type Room = NanoUsdt | null

type Amounts = Pick<HoldDemand, 'amountNano' | 'leastNano'>

/** Refuses, holds all, or holds what there is if the demand allows that. */
export function decideHold(
  { amountNano, leastNano }: Amounts,
  keyRoom: Room,
  balanceRoom: Room,
): HoldDecision {
  const neededNano = leastNano !== undefined && leastNano < amountNano ? leastNano : amountNano
  if (keyRoom !== null && keyRoom < neededNano) return { reason: 'key-spending-limit' }
  let heldNano = keyRoom !== null && keyRoom < amountNano ? keyRoom : amountNano
  // A request that costs nothing needs no balance.
  if (balanceRoom !== null && amountNano !== 0n) {
    if (balanceRoom < neededNano) return { reason: 'balance' }
    if (balanceRoom < heldNano) heldNano = balanceRoom
  }
  return heldNano === amountNano ? null : { reason: 'partial-hold', heldNano }
}

const NO_ROOM: NanoUsdt = -1n

/** A limit that is used up has no room even for a request that is free. */
export function roomInLimit(limitNano: NanoUsdt, spentNano: NanoUsdt, heldNano: NanoUsdt): NanoUsdt {
  return spentNano >= limitNano ? NO_ROOM : limitNano - spentNano - heldNano
}
