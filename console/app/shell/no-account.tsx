import { IconBuildingBank } from '@tabler/icons-react'
import { EmptyState } from '../../parts/layout/empty-state.tsx'

/** For a user without an account. */
export function NoAccount() {
  return (
    <EmptyState icon={IconBuildingBank} title="You do not belong to an account yet" isWholePage>
      Ask an account owner to add you as a member, with the e-mail address you signed in with.
    </EmptyState>
  )
}
