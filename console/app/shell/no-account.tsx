import { IconBuildingBank } from '@tabler/icons-react'
import { EmptyState } from '../../parts/layout/empty-state.tsx'

/** For a user who may sign in and belongs to no account. */
export function NoAccount() {
  return (
    <EmptyState icon={IconBuildingBank} title="You do not belong to an account yet" isWholePage>
      Ask an owner of an account to add you as a member, with the e-mail address you signed in with.
    </EmptyState>
  )
}
