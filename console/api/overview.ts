import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Range } from '../parts/range-picker.tsx'
import { accountPath, api } from './client.ts'
import type { Overview } from './wire.ts'

export function useOverview(
  account: string,
  { from, to }: Pick<Range, 'from' | 'to'>,
): UseQueryResult<Overview> {
  const query = { from, to }
  return useQuery({
    queryKey: [account, 'overview', query],
    queryFn: ({ signal }) => api.get<Overview>(accountPath(account, '/overview'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}
