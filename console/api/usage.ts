import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import type { UsageGrouping } from '../../src/manage/ports/console.ts'
import type { Range } from '../parts/charts/range-picker.tsx'
import { accountPath, getQuery, readPages } from './client.ts'
import type { RefusalTotal, UsageRow } from './wire.ts'

// Refusals by the hour, of a large account.
const MAX_PAGES = 20
// More groups than a chart has colours for, and a table that can still be read. Explore has the rest.
const TOP = 20

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
  const query = { from, to, granularity, group_by, key_id, top: TOP }
  const path = accountPath(account, '/usage')
  return useQuery({
    ...getQuery<ShownList<UsageRow>>([account, 'usage', query], path, query),
    placeholderData: keepPreviousData,
  })
}

const DAY_MS = 24 * 60 * 60 * 1_000
const NAMED_DAYS = 30

/** The suppliers that served requests of the account in the last days, by name. */
export function useSupplierNames(account: string): string[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const range = {
    from: new Date(today - NAMED_DAYS * DAY_MS).toISOString(),
    to: new Date(today + DAY_MS).toISOString(),
  }
  const query = { ...range, granularity: 'day', group_by: 'supplier' }
  const { data } = useQuery(
    getQuery<ShownList<UsageRow>>([account, 'usage', query], accountPath(account, '/usage'), query),
  )
  const names = data?.data.flatMap(({ group }) => group ?? []) ?? []
  return [...new Set(names)].sort()
}
