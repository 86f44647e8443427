import type { Account } from '../../vocabulary/account.ts'
import type { MarkUp } from '../../vocabulary/records/mark-up.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import { effectiveTier } from './tiers.ts'

/** An account, and the configuration that applies to its requests. */
interface Payer {
  readonly account: Account
  readonly snapshot: Snapshot
}

/** What is added to the price of requests for a model, in basis points: as set for the account, else for its tier, else for the model; null for nothing. */
export function markupFor(
  { account, snapshot: { markUps, tiers } }: Payer,
  modelId: string,
  nowMs: number,
): number | null {
  // Most gateways have none.
  if (markUps === null) return null
  return (
    markUps.account.get(account.id) ??
    markUps.tier.get(effectiveTier(account, nowMs, tiers)) ??
    markUps.model.get(modelId) ??
    null
  )
}

/** Why a mark-up cannot be stored beside the others, in a sentence; null when it can. */
export function findMarkUpProblem(
  { id, appliesTo, name }: MarkUp,
  others: readonly MarkUp[],
  snapshot: Snapshot,
): string | null {
  if (!isKnown(snapshot, appliesTo, name)) {
    const known = appliesTo === 'tier' ? ` Tiers are ${Object.keys(snapshot.tiers).join(', ')}.` : ''
    return `There is no ${appliesTo} "${name}".${known}`
  }
  const other = others.find((each) => each.id !== id && each.appliesTo === appliesTo && each.name === name)
  return other === undefined
    ? null
    : `The mark-up of ${appliesTo} "${name}" is "${other.id}"; change that one.`
}

function isKnown(
  { accounts, supply, tiers }: Snapshot,
  appliesTo: MarkUp['appliesTo'],
  name: string,
): boolean {
  switch (appliesTo) {
    case 'account':
      return accounts.has(name)
    case 'tier':
      return tiers[name] !== undefined
    case 'model':
      return supply.models.has(name)
  }
}
