import { useEffect } from 'react'
import type { Query } from '../../api/client.ts'
import { type List, useList } from '../../api/use-list.ts'
import type { Settlement } from '../../api/wire.ts'

const ENOUGH_ROWS = 20
// So many pages of 50,000 rows that were looked at and hold nothing are read without being asked for.
const MAX_PAGES = 20

/**
 * Requests that match the filters. Some filters have no index: a page that the gateway has looked through may be empty
 * although older requests match, so the next ones are read until there is something to show.
 */
export function useRequestList(key: readonly unknown[], path: string, query: Query): List<Settlement> {
  const list = useList<Settlement>(key, path, query)
  const { rows, pageCount = 0, hasMore, isLoadingMore, isOutdated, error, loadMore } = list
  const isWanting =
    hasMore &&
    !isLoadingMore &&
    !isOutdated &&
    error === null &&
    rows.length < ENOUGH_ROWS &&
    pageCount < MAX_PAGES
  // biome-ignore lint/correctness/useExhaustiveDependencies: Each page that arrives may want another.
  useEffect(() => {
    if (isWanting) loadMore()
  }, [isWanting, pageCount])
  return list
}
