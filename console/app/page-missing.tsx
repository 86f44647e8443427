import { IconMapOff } from '@tabler/icons-react'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { usePageTitle } from '../parts/layout/page-header.tsx'
import { ButtonLink } from '../parts/text/links.tsx'

export function PageMissing() {
  usePageTitle('Not found')
  return (
    <EmptyState
      icon={IconMapOff}
      title="Page not found"
      isWholePage
      action={<ButtonLink to="/overview">Go to overview</ButtonLink>}
    >
      Check the address. The page may have moved.
    </EmptyState>
  )
}
