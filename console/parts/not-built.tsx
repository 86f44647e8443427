import { IconBarrierBlock } from '@tabler/icons-react'
import { EmptyState } from './empty-state.tsx'
import { PageHeader } from './page-header.tsx'

/** Stands where a page will be. */
export function NotBuilt({ title }: { readonly title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <EmptyState icon={IconBarrierBlock} title="This page is not there yet">
        This version of the console does not have it. The same can be done through the API, see /docs.
      </EmptyState>
    </>
  )
}
