import { isDeepStrictEqual } from 'node:util'
import {
  accountLimits,
  effectiveTier,
  endedAssignment,
  evaluateTier,
  type TierDecision,
  tierDue,
  tierEarnedBy,
} from '../../rules/accounts/tiers.ts'
import { withAccount } from '../../rules/catalog/build-snapshot.ts'
import { Account, type AccountListQuery, type AccountView, type TierMove } from '../../vocabulary/account.ts'
import { formatTime } from '../../vocabulary/clock.ts'
import type { Listing, Page } from '../ports/page.ts'
import type { TierStep } from '../ports/storage.ts'
import { revokeKey } from './keys.ts'
import { listItems, positionByAge } from './paging.ts'
import type { BeforeAndAfter, Change, Changes, LocalOperations, OperationParts } from './parts.ts'
import {
  refuse,
  requireAccount,
  requireFuture,
  requireNotNegative,
  requireSane,
  requireText,
  requireTier,
} from './refuse.ts'

export function accountOperations(parts: OperationParts) {
  const { configuration } = parts
  return {
    listAccounts: async (page, query = {}) => {
      const listing = await listAccounts(parts, page, query)
      await parts.money.refresh({ accountIds: listing.data.map(({ id }) => id) })
      return { ...listing, data: listing.data.map((account) => viewAccount(parts, account)) }
    },
    findAccount: async (id) => viewNow(parts, requireAccount(configuration.current(), id)),
  } satisfies Partial<LocalOperations>
}

async function listAccounts(
  { configuration, money, clock }: OperationParts,
  page: Page,
  query: AccountListQuery,
): Promise<Listing<Account>> {
  const { accounts, tiers } = configuration.current()
  const nowMs = clock.nowMs()
  const wanted = [...accounts.values()].filter(
    (account) => query.tier === undefined || effectiveTier(account, nowMs, tiers) === query.tier,
  )
  // Balances that other nodes have moved are read again where they decide the order.
  if (query.sort?.endsWith('balance')) await money.refresh({ accountIds: wanted.map(({ id }) => id) })
  return listItems(
    wanted,
    { page, query },
    {
      positionOf: positionByAge,
      textsOf: ({ id, name, email }) => [name, id, email],
      rankOf: {
        name: ({ name }) => name,
        created_at: ({ createdAtMs }) => createdAtMs,
        balance: ({ id }) => money.balanceNano(id),
        total_paid: ({ totalPaidNano }) => totalPaidNano,
      },
    },
  )
}

export const accountChanges = {
  async createAccount(change, input) {
    requireText(input.name, 'name')
    if (input.email !== null && !/^[^\s@]+@[^\s@]+$/.test(input.email)) {
      refuse('email', 'email must be an e-mail address.')
    }
    const account: Account = {
      id: change.parts.random.id('acc'),
      name: input.name,
      email: input.email,
      earnedTier: tierEarnedBy(0n, change.snapshot.tiers),
      tierAssignment: null,
      totalPaidNano: 0n,
      creditLineNano: 0n,
      balanceAlertNano: null,
      state: 'active',
      stateReason: null,
      createdAtMs: change.nowMs,
    }
    return saveAccount(change, 'account.created', { before: null, after: account })
  },

  async changeAccount(change, id, edit) {
    const before = requireAccount(change.snapshot, id)
    if (edit.name !== undefined) requireText(edit.name, 'name')
    if (typeof edit.creditLineNano === 'bigint') {
      requireNotNegative(edit.creditLineNano, 'credit_line')
      requireSane(edit.creditLineNano, 'credit_line')
    }
    if (typeof edit.balanceAlertNano === 'bigint') requireSane(edit.balanceAlertNano, 'balance_alert')
    return saveAccount(change, 'account.changed', { before, after: { ...before, ...edit } })
  },

  async suspendAccount(change, id, reason) {
    const before = requireOpen(change, id)
    requireText(reason, 'reason')
    const after: Account = { ...before, state: 'suspended', stateReason: reason }
    return saveAccount(change, 'account.suspended', { before, after })
  },

  async reopenAccount(change, id) {
    const before = requireOpen(change, id)
    const after: Account = { ...before, state: 'active', stateReason: null }
    return saveAccount(change, 'account.reopened', { before, after })
  },

  /** Its keys stop working with it; what is left of its balance stays on the books. */
  async closeAccount(change, id, reason) {
    const before = requireAccount(change.snapshot, id)
    requireText(reason, 'reason')
    // Closing again goes on where a failure left off.
    const after: Account =
      before.state === 'closed' ? before : { ...before, state: 'closed', stateReason: reason }
    await saveAccount(change, 'account.closed', { before, after })
    const keys = [...change.snapshot.keys.values()].filter(({ accountId }) => accountId === id)
    for (const key of keys) await revokeKey(change, key.id)
    return viewNow(change.parts, after)
  },

  async assignTier(change, id, tier) {
    requireTier(change.snapshot, tier.tier)
    const before = requireAccount(change.snapshot, id)
    requireText(tier.reason, 'reason')
    requireFuture(tier.expiresAtMs, change.nowMs)
    const after = { ...before, tierAssignment: { ...tier, assignedBy: change.actor } }
    return saveAccount(change, 'account.tier_assigned', { before, after })
  },

  async endTierAssignment(change, id) {
    const before = requireAccount(change.snapshot, id)
    return saveAccount(change, 'account.tier_ended', { before, after: { ...before, tierAssignment: null } })
  },

  /**
   * Looks at the accounts as they are stored, not as this node knows them: payments and other evaluations may have come
   * through another node. Each step is taken by one node only, and only that one reports it.
   */
  async evaluateTiers(change) {
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
  },
} satisfies Changes

function requireOpen({ snapshot }: Change, id: string): Account {
  const account = requireAccount(snapshot, id)
  if (account.state === 'closed') refuse('id', `Account "${id}" is closed, which is final.`)
  return account
}

async function viewNow(parts: OperationParts, account: Account): Promise<AccountView> {
  await parts.money.refresh({ accountIds: [account.id] })
  return viewAccount(parts, account)
}

function viewAccount(parts: OperationParts, account: Account): AccountView {
  const nowMs = parts.clock.nowMs()
  const { tiers } = parts.configuration.current()
  return {
    ...account,
    tier: effectiveTier(account, nowMs, tiers),
    tierDue: tierDue(account, tiers),
    limits: accountLimits(account, nowMs, tiers),
    balanceNano: parts.money.balanceNano(account.id),
  }
}

async function saveAccount(
  change: Change,
  action: string,
  states: { before: Account | null; after: Account },
): Promise<AccountView> {
  const { before, after } = states
  if (!isDeepStrictEqual(before, after)) {
    const described = { before: before && Account.show(before), after: Account.show(after) }
    await change.parts.storage.saveAccount(after, change.audit(action, after.id, described))
    change.publish((snapshot) => withAccount(snapshot, after))
  }
  return viewNow(change.parts, after)
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
  const deciding = planDecision(account, evaluateTier(account, terms, change.snapshot.tiers), change)
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
        states: describeMove(account, move, change),
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

function describeMove(account: Account, { to }: TierMove, { nowMs, snapshot }: Change): BeforeAndAfter {
  const describe = (state: Account) => ({
    earned_tier: state.earnedTier,
    tier: effectiveTier(state, nowMs, snapshot.tiers),
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
