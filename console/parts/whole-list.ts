import type { List } from '../api/use-list.ts'

/** Rows that are there already, or not yet, as a DataTable takes them. */
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
