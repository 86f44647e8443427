import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
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

const REFRESH_MS = 5_000

/** Reads a list again every few seconds while it is on screen. `name` is the last part of its key. */
export function useFreshOperatorList(name: string): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void queryClient.invalidateQueries({ queryKey: ['operator', name] })
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [queryClient, name])
}
