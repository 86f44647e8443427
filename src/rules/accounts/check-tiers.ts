import type { Account } from '../../vocabulary/account.ts'
import { enabledTiers, type Tier } from '../../vocabulary/records/tier.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'

/** What is wrong with the tiers, and in which field of the one that changes. */
export interface TierProblem {
  readonly param: string
  readonly message: string
}

type KnownTiers = Pick<Snapshot, 'accounts' | 'tiers' | 'markUps'>

/** Why exactly these tiers cannot be stored; null when they can. */
export function findTierProblem(stored: readonly Tier[], known: KnownTiers): TierProblem | null {
  const tiers = enabledTiers(stored)
  return findClash(tiers) ?? findMissingStart(tiers) ?? findLoss(tiers, known)
}

/** Names that differ in case only would be confused. */
function findClash(tiers: readonly Tier[]): TierProblem | null {
  const idsByName = new Map<string, string>()
  for (const { id, name } of tiers) {
    const other = idsByName.get(name.toLowerCase())
    if (other !== undefined) {
      return { param: 'name', message: `The tiers "${other}" and "${id}" cannot both be named "${name}".` }
    }
    idsByName.set(name.toLowerCase(), id)
  }
  return null
}

/** A new account needs a tier. */
function findMissingStart(tiers: readonly Tier[]): TierProblem | null {
  if (tiers.some(({ earnedAtPaidNano }) => earnedAtPaidNano === 0n)) return null
  return { param: 'earned_at', message: 'One tier must be earned at 0: that of new accounts.' }
}

/** Accounts keep their tiers by name, and so do mark-ups. */
function findLoss(
  tiers: readonly Tier[],
  { accounts, tiers: present, markUps }: KnownTiers,
): TierProblem | null {
  const kept = new Set(tiers.map(({ name }) => name))
  for (const name of Object.keys(present)) {
    if (kept.has(name)) continue
    const holders = [...accounts.values()].filter((account) => hasTier(account, name)).length
    if (holders > 0) {
      const who = holders === 1 ? '1 account has' : `${holders} accounts have`
      return { param: 'name', message: `${who} the tier "${name}", earned or assigned.` }
    }
    if (markUps?.tier.has(name) === true) {
      return { param: 'name', message: `A mark-up is for the tier "${name}"; delete that first.` }
    }
  }
  return null
}

function hasTier({ earnedTier, tierAssignment }: Account, name: string): boolean {
  return earnedTier === name || tierAssignment?.tier === name
}
