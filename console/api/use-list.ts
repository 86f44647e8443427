import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { api, type Query } from './client.ts'

export interface List<T> {
  readonly rows: readonly T[]
  readonly error: Error | null
  /** No rows have arrived yet. */
  readonly isPending: boolean
  /** The rows shown match the previous filters; new rows are loading. */
  readonly isOutdated: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  loadMore(): void
  retry(): void
}

/** A list of the API, page by page. Start `key` with the account, so that events refresh it. */
export function useList<T>(key: readonly unknown[], path: string, query: Query = {}): List<T> {
  const result = useInfiniteQuery<
    ShownList<T>,
    Error,
    InfiniteData<ShownList<T>>,
    readonly unknown[],
    string | null
  >({
    queryKey: [...key, query],
    queryFn: ({ pageParam, signal }) =>
      api.get<ShownList<T>>(path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  })
  return {
    rows: result.data?.pages.flatMap((page) => page.data) ?? [],
    error: result.error,
    isPending: result.isPending,
    isOutdated: result.isPlaceholderData,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
  }
}
