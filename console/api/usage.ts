import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import type { UsageGrouping } from '../../src/manage/ports/console.ts'
import type { Range } from '../parts/charts/range-picker.tsx'
import { accountPath, readPages } from './client.ts'
import type { RefusalTotal, UsageRow } from './wire.ts'

// Enough for every key of a large account by the hour. A chart with more would be unreadable.
const MAX_PAGES = 20

/** How often requests were refused before they were admitted. Usage does not count them. */
export function useRefusalCounts(
  account: string,
  { from, to, granularity }: Range,
  { isWanted, keyId }: { readonly isWanted: boolean; readonly keyId?: string },
): readonly RefusalTotal[] | undefined {
  const query = { from, to, span: granularity, key_id: keyId }
  const path = accountPath(account, '/refusals/counts')
  const { data } = useQuery({
    queryKey: [account, 'refusals', 'counts', query],
    queryFn: ({ signal }) => readPages<RefusalTotal>(path, { query, signal }, MAX_PAGES),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  })
  return data
}

export function useUsage(
  account: string,
  {
    from,
    to,
    granularity,
    group_by,
    key_id,
  }: Range & { readonly group_by: UsageGrouping; readonly key_id?: string },
): UseQueryResult<Pick<ShownList<UsageRow>, 'data'>> {
  const query = { from, to, granularity, group_by, key_id }
  const path = accountPath(account, '/usage')
  return useQuery({
    queryKey: [account, 'usage', query],
    queryFn: async ({ signal }) => ({ data: await readPages<UsageRow>(path, { query, signal }, MAX_PAGES) }),
    placeholderData: keepPreviousData,
  })
}
