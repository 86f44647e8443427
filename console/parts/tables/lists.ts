import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { List } from '../../api/use-list.ts'

/** Adapts rows, or undefined while loading, for a table. */
export function wholeList<T>(rows: readonly T[] | undefined, error: Error | null = null): List<T> {
  return {
    rows: rows ?? [],
    error,
    isPending: rows === undefined && error === null,
    isOutdated: false,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => undefined,
    retry: () => undefined,
  }
}

/** Adapts a query without paging for a table. */
export function asList<T>(query: UseQueryResult<{ readonly data: readonly T[] }>): List<T> {
  const { data, error, isPending, isPlaceholderData: isOutdated } = query
  return { ...wholeList(data?.data, error), isPending, isOutdated, retry: () => void query.refetch() }
}

/** Filters the rows of a list that the gateway cannot filter. */
export function narrowList<T>(list: List<T>, fits: (row: T) => boolean): List<T> {
  return { ...list, rows: list.rows.filter(fits) }
}

const ENOUGH_ROWS = 25
const MAX_SEARCHED = 2_000

/** Like narrowList, but loads more pages until enough rows match or MAX_SEARCHED rows were searched. */
export function useSearchedList<T>(list: List<T>, fits: ((row: T) => boolean) | null): List<T> {
  const narrowed = fits === null ? list : narrowList(list, fits)
  const isSearching =
    fits !== null &&
    list.hasMore &&
    list.error === null &&
    narrowed.rows.length < ENOUGH_ROWS &&
    list.rows.length < MAX_SEARCHED
  const { loadMore, isLoadingMore } = list
  useEffect(() => {
    if (isSearching && !isLoadingMore) loadMore()
  }, [isSearching, isLoadingMore, loadMore])
  return { ...narrowed, isPending: list.isPending || (isSearching && narrowed.rows.length === 0) }
}

/** Whether every word of the search occurs in one of the texts. */
export function matchesWords(question: string, texts: readonly (string | null)[]): boolean {
  const all = texts.join(' ').toLowerCase()
  return question
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
