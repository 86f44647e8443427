import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { accountPath, api, type Query } from './client.ts'

export interface List<T> {
  readonly rows: readonly T[]
  readonly error: Error | null
  /** No rows have arrived yet. */
  readonly isPending: boolean
  /** The rows shown match the previous filters; new rows are loading. */
  readonly isOutdated: boolean
  readonly hasMore: boolean
  /** How many pages the rows came in; absent for a list without pages. */
  readonly pageCount?: number
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
    pageCount: result.data?.pages.length ?? 0,
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

interface Named {
  readonly id: string
  readonly name: string
}

export type NameOf = (id: string) => string

// As many as one page of a list has.
const AT_ONCE = 200
const FRESH_MS = 60_000
const WAITING = '…'

/** The name of a key of the account; its id if there is no such key any more. */
export function useKeyNames(account: string): NameOf {
  return useNames([account, 'key-names'], accountPath(account, '/keys'))
}

/** Gives names by id. The ids that a page asks for while it renders are looked up together afterwards. */
export function useNames(key: QueryKey, path: string): NameOf {
  const asked = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [ids, setIds] = useState<readonly string[]>([])
  const { data: names, isFetching } = useQuery({
    queryKey: [...key, 'names', ids],
    queryFn: ({ signal }) => readNames(path, ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  })
  // Asked by whatever renders, which may be a part of the page that renders later than the page itself.
  const ask = (id: string) => {
    if (id === '' || asked.current.has(id)) return
    asked.current.add(id)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setIds([...asked.current].sort()))
  }
  return (id) => {
    ask(id)
    const isAwaited = isFetching || !ids.includes(id)
    return names?.get(id) ?? (isAwaited ? WAITING : id)
  }
}

async function readNames(
  path: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const starts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, index) => index * AT_ONCE)
  const pages = await Promise.all(
    starts.map((start) => {
      const query = { ids: ids.slice(start, start + AT_ONCE).join(','), limit: AT_ONCE }
      return api.get<ShownList<Named>>(path, { query, signal })
    }),
  )
  return new Map(pages.flatMap(({ data }) => data).map(({ id, name }) => [id, name]))
}
