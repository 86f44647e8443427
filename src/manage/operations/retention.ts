import { SPAN_MS, spanStartMs } from '../../rules/ledger/aggregate.ts'
import { type Clock, formatTime } from '../../vocabulary/clock.ts'
import type { Storage } from '../ports/storage.ts'
import type { RandomSource } from './parts.ts'

export interface RetentionParts {
  readonly storage: Pick<Storage, 'moveHorizon' | 'carrySettlements'>
  /** Resolves when everything settled so far is in the storage, or cannot be for now. */
  readonly catchUp: () => Promise<void>
  /** How many whole days the details of settlements are kept. */
  readonly keptDays: number
  readonly clock: Clock
  readonly random: Pick<RandomSource, 'id'>
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>
  /** Whether there is no time left; what is not done now is done next time. */
  readonly isStopping: () => boolean
}

// A portion is deleted in a few milliseconds; no other write waits longer than that for it.
const PORTION = 200

/**
 * Deletes the details of settlements whose time is over, and gives how many there were. The money stays in the ledger
 * and the usage in its sums. Only whole days go, so that those sums can still be counted again for every day that has
 * its details.
 */
export async function dropOldSettlements(parts: RetentionParts): Promise<number> {
  const { storage, keptDays, clock, random } = parts
  const nowMs = clock.nowMs()
  const goneBeforeMs = spanStartMs('day', nowMs) - keptDays * SPAN_MS.day
  // What waits in the journal could not be told from what was deleted once the horizon has passed it.
  await parts.catchUp()
  await storage.moveHorizon(goneBeforeMs, {
    id: random.id('aud'),
    atMs: nowMs,
    actor: 'scheduler',
    action: 'settlements.deleted',
    subject: 'settlements',
    before: null,
    after: { ended_before: formatTime(goneBeforeMs), kept_days: keptDays },
  })
  let deleted = 0
  while (!parts.isStopping()) {
    const count = await storage.carrySettlements(PORTION)
    deleted += count
    if (count < PORTION) break
    await parts.pause()
  }
  return deleted
}
