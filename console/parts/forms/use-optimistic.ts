import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { showFailure } from '../layout/notify.ts'

interface Listed {
  readonly id: string
}

export interface OptimisticOptions<Row extends Listed, Change> {
  /** Updates the row immediately in every query with this key prefix. */
  readonly key: QueryKey
  readonly act: (row: Row, change: Change) => Promise<unknown>
}

/**
 * Shows a change before the gateway confirms it. If the gateway refuses, restores the previous state and shows the
 * reason. In both cases the queries are refreshed.
 */
export function useOptimistic<Row extends Listed, Change extends Partial<Row>>({
  key,
  act,
}: OptimisticOptions<Row, Change>): (row: Row, change: Change) => Promise<void> {
  const queryClient = useQueryClient()
  return async (row, change) => {
    await queryClient.cancelQueries({ queryKey: key })
    const before = queryClient.getQueriesData({ queryKey: key })
    queryClient.setQueriesData({ queryKey: key }, (data: unknown) => patchRow(data, row.id, change))
    try {
      await act(row, change)
    } catch (error) {
      for (const [queryKey, data] of before) queryClient.setQueryData(queryKey, data)
      showFailure(error)
    } finally {
      await queryClient.invalidateQueries({ queryKey: key })
    }
  }
}

/** Finds the row in a query's data: the row itself, a list, or pages of a list. */
export function patchRow(data: unknown, id: string, change: object): unknown {
  if (Array.isArray(data)) return data.map((item: unknown) => patchRow(item, id, change))
  if (typeof data !== 'object' || data === null) return data
  if ('id' in data && data.id === id) return { ...data, ...change }
  if ('pages' in data) return { ...data, pages: patchRow(data.pages, id, change) }
  if ('data' in data) return { ...data, data: patchRow(data.data, id, change) }
  return data
}
