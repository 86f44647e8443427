import { Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { PageHeader, type PageHeaderProps } from './page-header.tsx'

export interface DetailPageProps<T> extends Pick<PageHeaderProps, 'title' | 'back'> {
  readonly query: UseQueryResult<T>
  /** The page with its header, once the data is loaded. */
  readonly children: (data: T) => ReactNode
}

const WAITING_HEIGHT = 320

/** The page of one object. Until it is loaded, shows a title with a placeholder or an error. */
export function DetailPage<T>({ query, title, back, children }: DetailPageProps<T>) {
  if (query.data !== undefined) return children(query.data)
  return (
    <>
      <PageHeader title={title} {...(back !== undefined && { back })} />
      <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      {query.isPending && <Skeleton height={WAITING_HEIGHT} aria-label="Loading" role="status" />}
    </>
  )
}
