import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import type { UsageGrouping } from '../../src/gateway/ports/console.ts'
import type { Range } from '../parts/range-picker.tsx'
import { accountPath, api, type CallOptions } from './client.ts'
import type { UsageRow } from './wire.ts'

export interface UsageQuestion extends Range {
  readonly group_by: UsageGrouping
}

export function useUsage(
  account: string,
  { from, to, granularity, group_by }: UsageQuestion,
): UseQueryResult<Pick<ShownList<UsageRow>, 'data'>> {
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
    const { data, next_cursor }: ShownList<UsageRow> = await api.get(path, {
      query: { ...query, cursor },
      signal,
    })
    rows.push(...data)
    cursor = next_cursor ?? null
    if (cursor === null) break
  }
  return rows
}
