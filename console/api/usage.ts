import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Range } from '../parts/range-picker.tsx'
import { accountPath, api, type CallOptions } from './client.ts'
import type { Page } from './use-list.ts'

export type Grouping = 'model' | 'key' | 'supplier' | 'none'

/** What one group used in one hour or day. */
export interface UsageRow {
  /** When the hour or day begins, RFC 3339. */
  readonly at: string
  /** A model, a key's id or a supplier; null where there is none, as the supplier of a request that reached none. */
  readonly group: string | null
  readonly requests: number
  readonly failed: number
  readonly input: number
  readonly cache_read: number
  readonly cache_write: number
  readonly output: number
  readonly images: number
  readonly amount: string
  readonly first_byte_ms_avg: number | null
  readonly duration_ms_avg: number | null
}

export interface UsageQuestion extends Range {
  readonly group_by: Grouping
}

export function useUsage(
  account: string,
  { from, to, granularity, group_by }: UsageQuestion,
): UseQueryResult<{ readonly data: readonly UsageRow[] }> {
  const query = { from, to, granularity, group_by }
  return useQuery({
    queryKey: [account, 'usage', query],
    queryFn: async ({ signal }) => ({
      data: await readAll(accountPath(account, '/usage'), { query, signal }),
    }),
    placeholderData: keepPreviousData,
  })
}

// Enough for every key of a large account by the hour; a chart of more would show nothing.
const MOST_PAGES = 20

async function readAll(path: string, { query, signal }: CallOptions): Promise<UsageRow[]> {
  const rows: UsageRow[] = []
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data, next_cursor }: Page<UsageRow> = await api.get(path, {
      query: { ...query, cursor },
      signal,
    })
    rows.push(...data)
    cursor = next_cursor ?? null
    if (cursor === null) break
  }
  return rows
}
