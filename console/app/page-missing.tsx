import { IconMapOff } from '@tabler/icons-react'
import { EmptyState } from '../parts/empty-state.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { usePageTitle } from '../parts/page-header.tsx'

export function PageMissing() {
  usePageTitle('Not found')
  return (
    <EmptyState
      icon={IconMapOff}
      title="There is no such page"
      isWholePage
      action={<ButtonLink to="/overview">Go to the overview</ButtonLink>}
    >
      The address may be mistyped, or the page was moved.
    </EmptyState>
  )
}
