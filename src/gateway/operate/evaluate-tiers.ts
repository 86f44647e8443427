import { isDeepStrictEqual } from 'node:util'
import { evaluateTier, type TierDecision } from '../../rules/accounts/evaluate-tier.ts'
import { effectiveTier, endedAssignment } from '../../rules/accounts/tiers.ts'
import { Account, type TierEvaluation, type TierMove } from '../../vocabulary/account.ts'
import { formatTime } from '../../vocabulary/time.ts'
import type { Operations } from '../ports/operations.ts'
import type { TierStep } from '../ports/storage.ts'
import type { BeforeAndAfter, Change, ChangeDesk } from './change-desk.ts'

export function tierOperations({ makeChange }: ChangeDesk): Pick<Operations, 'evaluateTiers'> {
  return { evaluateTiers: (actor) => makeChange(actor, evaluateTiers) }
}

/**
 * Looks at the accounts as they are stored, not as this node knows them: payments and other evaluations may have come
 * through another node. Each step is taken by one node only, and only that one reports it.
 */
async function evaluateTiers(change: Change): Promise<TierEvaluation> {
  const { storage } = change.parts
  const accounts = await storage.loadAccounts()
  const doubts = await storage.loadTierDoubts()
  const raised: TierMove[] = []
  let areStale = false
  try {
    for (const account of accounts) {
      for (const plan of planSteps(change, account, doubts.get(account.id) ?? null)) {
        areStale = true
        const event = change.audit(plan.action, account.id, plan.states)
        const isTaken = await storage.takeTierStep(plan.step, event)
        if (isTaken && plan.raise !== null) raised.push(plan.raise)
      }
    }
  } finally {
    putInForce(change, areStale ? await storage.loadAccounts() : accounts)
  }
  return { evaluated: accounts.length, raised }
}

interface PlannedStep {
  readonly step: TierStep
  readonly action: string
  readonly states: BeforeAndAfter
  readonly raise: TierMove | null
}

function planSteps(change: Change, account: Account, doubtedSinceMs: number | null): PlannedStep[] {
  const { nowMs, parts } = change
  const terms = { nowMs, graceMs: parts.tierGraceMs, doubtedSinceMs }
  const ending = planEnding(account, nowMs)
  const deciding = planDecision(account, evaluateTier(account, terms), change)
  return [ending, deciding].filter((plan) => plan !== null)
}

/** The earned tier is back in force since the very end; what is left is to say so, once. */
function planEnding(account: Account, nowMs: number): PlannedStep | null {
  const assignment = endedAssignment(account, nowMs)
  if (assignment === null) return null
  return {
    step: { kind: 'end-assignment', accountId: account.id, assignment },
    action: 'tier.assignment_ended',
    states: {
      before: { tier_assignment: Account.show(account).tier_assignment },
      after: { tier_assignment: null, tier: account.earnedTier },
    },
    raise: null,
  }
}

function planDecision(account: Account, decision: TierDecision, change: Change): PlannedStep | null {
  const { id: accountId, earnedTier: from } = account
  switch (decision.kind) {
    case 'keep':
      return null
    case 'raise':
    case 'lower': {
      const move = { accountId, from, to: decision.to }
      return {
        step: { kind: 'move', ...move },
        action: decision.kind === 'raise' ? 'tier.raised' : 'tier.lowered',
        states: describeMove(account, move, change.nowMs),
        raise: decision.kind === 'raise' ? move : null,
      }
    }
    case 'doubt': {
      const endsAtMs = change.nowMs + (change.parts.tierGraceMs ?? 0)
      return {
        step: { kind: 'doubt', accountId, sinceMs: change.nowMs },
        action: 'tier.downgrade_pending',
        states: {
          before: { earned_tier: from },
          after: { earned_tier: from, lowered_to: decision.to, not_before: formatTime(endsAtMs) },
        },
        raise: null,
      }
    }
    case 'trust':
      return {
        step: { kind: 'trust', accountId },
        action: 'tier.downgrade_cancelled',
        states: { before: { earned_tier: from }, after: { earned_tier: from } },
        raise: null,
      }
  }
}

function describeMove(account: Account, { to }: TierMove, nowMs: number): BeforeAndAfter {
  const describe = (state: Account) => ({
    earned_tier: state.earnedTier,
    tier: effectiveTier(state, nowMs),
    total_paid: Account.show(state).total_paid,
  })
  return { before: describe(account), after: describe({ ...account, earnedTier: to }) }
}

/** What was stored about tiers and payments, by whichever node, is in force here from now on. */
function putInForce(change: Change, stored: readonly Account[]): void {
  const changed = stored.filter((account) => {
    const known = change.snapshot.accounts.get(account.id)
    return known !== undefined && !isSameStanding(known, account)
  })
  if (changed.length === 0) return
  change.publish((snapshot) => {
    const accounts = new Map(snapshot.accounts)
    for (const { id, earnedTier, tierAssignment, totalPaidNano } of changed) {
      const known = accounts.get(id)
      if (known !== undefined) accounts.set(id, { ...known, earnedTier, tierAssignment, totalPaidNano })
    }
    return { ...snapshot, accounts }
  })
}

function isSameStanding(known: Account, stored: Account): boolean {
  return (
    known.earnedTier === stored.earnedTier &&
    known.totalPaidNano === stored.totalPaidNano &&
    isDeepStrictEqual(known.tierAssignment, stored.tierAssignment)
  )
}
