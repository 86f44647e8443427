import type { UseQueryResult } from '@tanstack/react-query'
import type { List } from '../api/use-list.ts'

/** Lets a DataTable show an answer that comes whole, as a query gives it. */
export function asList<T>(query: UseQueryResult<{ readonly data: readonly T[] }>): List<T> {
  return {
    rows: query.data?.data ?? [],
    error: query.error,
    isPending: query.isPending,
    isOutdated: query.isPlaceholderData,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => undefined,
    retry: () => void query.refetch(),
  }
}
