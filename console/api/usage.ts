import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import type { UsageGrouping } from '../../src/manage/ports/console.ts'
import type { Range } from '../parts/charts/range-picker.tsx'
import { accountPath, readPages } from './client.ts'
import type { UsageRow } from './wire.ts'

// Enough for every key of a large account by the hour. A chart with more would be unreadable.
const MAX_PAGES = 20

export function useUsage(
  account: string,
  { from, to, granularity, group_by }: Range & { readonly group_by: UsageGrouping },
): UseQueryResult<Pick<ShownList<UsageRow>, 'data'>> {
  const query = { from, to, granularity, group_by }
  const path = accountPath(account, '/usage')
  return useQuery({
    queryKey: [account, 'usage', query],
    queryFn: async ({ signal }) => ({ data: await readPages<UsageRow>(path, { query, signal }, MAX_PAGES) }),
    placeholderData: keepPreviousData,
  })
}
