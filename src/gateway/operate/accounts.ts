import { isDeepStrictEqual } from 'node:util'
import { accountLimits, effectiveTier } from '../../rules/accounts/tiers.ts'
import { withAccount } from '../../rules/catalog/build-snapshot.ts'
import {
  Account,
  type AccountChange,
  type AccountView,
  type TierAssignment,
} from '../../vocabulary/account.ts'
import type { Operations } from '../ports/operations.ts'
import type { Change, ChangeDesk } from './change-desk.ts'
import { pageOf, positionByAge } from './paging.ts'
import type { OperationParts } from './parts.ts'
import {
  refuse,
  requireAccount,
  requireFuture,
  requireNotNegative,
  requireSane,
  requireText,
} from './refuse.ts'

type AccountOperations = Pick<
  Operations,
  'createAccount' | 'listAccounts' | 'findAccount' | 'changeAccount' | 'assignTier' | 'endTierAssignment'
>

export function accountOperations({ parts, makeChange }: ChangeDesk): AccountOperations {
  const { configuration } = parts
  return {
    createAccount: (input, actor) => makeChange(actor, (change) => createAccount(change, input)),
    listAccounts: async (page) => {
      const listing = pageOf(configuration.current().accounts.values(), page, positionByAge)
      await parts.money.refresh({ accountIds: listing.data.map(({ id }) => id) })
      return { ...listing, data: listing.data.map((account) => viewAccount(parts, account)) }
    },
    findAccount: async (id) => viewNow(parts, requireAccount(configuration.current(), id)),
    changeAccount: (id, edit, actor) => makeChange(actor, (change) => changeAccount(change, id, edit)),
    assignTier: (id, tier, actor) => makeChange(actor, (change) => assignTier(change, id, tier)),
    endTierAssignment: (id, actor) => makeChange(actor, (change) => endTierAssignment(change, id)),
  }
}

async function viewNow(parts: OperationParts, account: Account): Promise<AccountView> {
  await parts.money.refresh({ accountIds: [account.id] })
  return viewAccount(parts, account)
}

function viewAccount(parts: OperationParts, account: Account): AccountView {
  const nowMs = parts.clock.nowMs()
  return {
    ...account,
    tier: effectiveTier(account, nowMs),
    limits: accountLimits(account, nowMs),
    balanceNano: parts.money.balanceNano(account.id),
  }
}

async function createAccount(
  change: Change,
  input: { name: string; email: string | null },
): Promise<AccountView> {
  requireText(input.name, 'name')
  if (input.email !== null && !/^[^\s@]+@[^\s@]+$/.test(input.email)) {
    refuse('email', 'email must be an e-mail address.')
  }
  const account: Account = {
    id: change.parts.random.id('acc'),
    name: input.name,
    email: input.email,
    earnedTier: 'Starter',
    tierAssignment: null,
    totalPaidNano: 0n,
    creditLineNano: 0n,
    balanceAlertNano: null,
    createdAtMs: change.nowMs,
  }
  return saveAccount(change, 'account.created', { before: null, after: account })
}

async function changeAccount(change: Change, id: string, edit: AccountChange): Promise<AccountView> {
  const before = requireAccount(change.snapshot, id)
  if (edit.name !== undefined) requireText(edit.name, 'name')
  if (typeof edit.creditLineNano === 'bigint') {
    requireNotNegative(edit.creditLineNano, 'credit_line')
    requireSane(edit.creditLineNano, 'credit_line')
  }
  if (typeof edit.balanceAlertNano === 'bigint') requireSane(edit.balanceAlertNano, 'balance_alert')
  return saveAccount(change, 'account.changed', { before, after: { ...before, ...edit } })
}

async function assignTier(
  change: Change,
  id: string,
  tier: Omit<TierAssignment, 'assignedBy'>,
): Promise<AccountView> {
  const before = requireAccount(change.snapshot, id)
  requireText(tier.reason, 'reason')
  requireFuture(tier.expiresAtMs, change.nowMs)
  const after = { ...before, tierAssignment: { ...tier, assignedBy: change.actor } }
  return saveAccount(change, 'account.tier_assigned', { before, after })
}

async function endTierAssignment(change: Change, id: string): Promise<AccountView> {
  const before = requireAccount(change.snapshot, id)
  return saveAccount(change, 'account.tier_ended', { before, after: { ...before, tierAssignment: null } })
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
