import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../parts/empty-state.tsx'
import { usePageTitle } from '../parts/page-header.tsx'

export function PageMissing() {
  usePageTitle('Not found')
  return (
    <EmptyState
      icon={IconMapOff}
      title="There is no such page"
      isWholePage
      action={<Button renderRoot={(props) => <Link to="/overview" {...props} />}>Go to the overview</Button>}
    >
      The address may be mistyped, or the page was moved.
    </EmptyState>
  )
}
