import type { Account, Tier } from '../../api/wire.ts'
import { readNano } from '../../parts/text/exact-amount.ts'

/** A tier that is paid for already, and that the account gets at the next full hour; null when there is none. */
export function tierDue(
  { earned_tier: held, total_paid: paid }: Pick<Account, 'earned_tier' | 'total_paid'>,
  tiers: readonly Pick<Tier, 'name' | 'earned_at' | 'enabled'>[],
): string | null {
  const known = tiers.filter(({ enabled }) => enabled)
  const now = known.find(({ name }) => name === held)
  // Operators assign it, and it is kept.
  if (now?.earned_at === null) return null
  let best: string | null = null
  let bestFromNano = now === undefined ? -1n : nanoOf(now.earned_at)
  for (const { name, earned_at: from } of known) {
    if (from === null || nanoOf(from) > nanoOf(paid) || nanoOf(from) <= bestFromNano) continue
    best = name
    bestFromNano = nanoOf(from)
  }
  return best
}

function nanoOf(amount: string): bigint {
  return readNano(amount) ?? 0n
}
