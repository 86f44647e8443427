import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PageHeader } from '../layout/page-header.tsx'
import { type FiltersProps, NO_FILTERS, setFilters, type View, viewOf } from './request-filters.ts'
import { ViewSwitch } from './view-switch.tsx'

interface RequestFrameProps extends FiltersProps {
  readonly title: string
  readonly descriptions: Readonly<Record<View, string>>
  /** The address of the file with the requests that are shown; null when what is shown has none. */
  readonly exportHref: string | null
  /** Before the switch of views. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The head of a page of requests, and below it what its view shows. */
export function RequestFrame(props: RequestFrameProps) {
  const { title, descriptions, exportHref, actions, children, ...parts } = props
  return (
    <>
      <PageHeader
        title={title}
        description={descriptions[viewOf(parts.filters)]}
        actions={
          <>
            {actions}
            <ViewSwitch {...parts} />
            {exportHref !== null && (
              <Button
                variant="default"
                component="a"
                download
                leftSection={<IconDownload size={16} aria-hidden />}
                href={exportHref}
              >
                Export CSV
              </Button>
            )}
          </>
        }
      />
      {children}
    </>
  )
}

/** For a list without rows: whether that may be because of the filters, and how to remove them. */
export function narrowedBy({ filters, onChange }: FiltersProps) {
  return {
    isNarrowed: setFilters(filters).length > 0,
    onClear: () => onChange({ ...NO_FILTERS, view: filters.view }),
  }
}
