import { IconMapOff } from '@tabler/icons-react'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { usePageTitle } from '../parts/layout/page-header.tsx'
import { ButtonLink } from '../parts/text/links.tsx'

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
