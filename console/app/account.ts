import { useSearch } from '@tanstack/react-router'
import { hasRight, type Right } from '../../src/vocabulary/words.ts'
import { useSession } from '../api/session.ts'
import type { Membership, Session } from '../api/wire.ts'

const KEPT_UNDER = 'turnpike-account'

/** `operator`: not a member, but can see every account. */
export interface ChosenAccount extends Omit<Membership, 'role'> {
  readonly role: Membership['role'] | 'operator'
}

/** The account in the address, else the last one used, else the first. Null for a user without accounts. */
export function chooseAccount(session: Session, asked: string | undefined): ChosenAccount | null {
  const { accounts, user } = session
  const named = accounts.find(({ id }) => id === asked)
  if (named !== undefined) return named
  if (asked !== undefined && user?.is_operator === true) return { id: asked, name: asked, role: 'operator' }
  const kept = localStorage.getItem(KEPT_UNDER)
  return accounts.find(({ id }) => id === kept) ?? accounts[0] ?? null
}

export function rememberAccount(id: string): void {
  localStorage.setItem(KEPT_UNDER, id)
}

/** The account whose data the page shows, or null for a user without any. */
export function useChosenAccount(): ChosenAccount | null {
  const session = useSession()
  const search = useSearch({ strict: false })
  return session === undefined ? null : chooseAccount(session, search.account)
}

/** The account whose data the page shows. The shell shows account pages only when there is one. */
export function useAccount(): ChosenAccount {
  const account = useChosenAccount()
  if (account === null) throw new Error('You do not belong to any account yet.')
  return account
}

/** What the user may do in the account that the page shows. Operators may do everything. */
export function useRights(): (right: Right) => boolean {
  const account = useChosenAccount()
  const isOperator = useSession()?.user?.is_operator === true
  return (right) =>
    isOperator || (account !== null && account.role !== 'operator' && hasRight(account.role, right))
}

/** Whether the user may do this in the account that the page shows. */
export function useMay(right: Right): boolean {
  return useRights()(right)
}
