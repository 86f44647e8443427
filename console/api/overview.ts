import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Range } from '../parts/charts/range-picker.tsx'
import { accountPath, getQuery } from './client.ts'
import type { Overview } from './wire.ts'

export function useOverview(
  account: string,
  { from, to }: Pick<Range, 'from' | 'to'>,
): UseQueryResult<Overview> {
  const key = [account, 'overview', { from, to }]
  const query = getQuery<Overview>(key, accountPath(account, '/overview'), { from, to })
  return useQuery({ ...query, placeholderData: keepPreviousData })
}
