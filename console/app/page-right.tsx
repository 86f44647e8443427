import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { useChosenAccount, useRights } from './account.ts'
import { listRoles, ROLE_WORDS } from './role-words.ts'
import { entryOf } from './shell/navigation.ts'

interface PageRightProps {
  readonly path: string
  readonly children: ReactNode
}

/** The page, or who may see it if the user may not. The gateway refuses its calls as well. */
export function PageRight({ path, children }: PageRightProps) {
  const may = useRights()
  const account = useChosenAccount()
  const [, label, , , right] = entryOf(path) ?? []
  if (right === undefined || may(right)) return children
  const role = account === null || account.role === 'operator' ? 'operator' : ROLE_WORDS[account.role].label
  return (
    <EmptyState icon={IconLock} title={`For ${listRoles(right)} of the account`} isWholePage>
      Your role in {account?.name} is {role}, which does not include {label}. Ask an owner of the account to
      change it.
    </EmptyState>
  )
}
