import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { readPages } from '../../api/client.ts'
import { OPERATOR, type Whole } from '../../api/operator.ts'
import type { OperatorUsage } from '../../api/wire.ts'
import type { Range } from '../../parts/charts/range-picker.tsx'
import type { Grouping } from './margins.ts'

const PAGE = 200
const MAX_PAGES = 100

/** A longer list is cut, and its sums would be wrong. */
export const MAX_ROWS = PAGE * MAX_PAGES

/** Usage of all accounts by day, oldest first. */
export function useOperatorUsage(
  { from, to }: Range,
  grouping: Grouping,
): UseQueryResult<Whole<OperatorUsage>> {
  const query = { from, to, granularity: 'day', group_by: grouping, limit: PAGE }
  return useQuery({
    queryKey: ['operator', 'usage', query],
    queryFn: async ({ signal }) => ({
      data: await readPages<OperatorUsage>(`${OPERATOR}/usage`, { query, signal }, MAX_PAGES),
    }),
    placeholderData: keepPreviousData,
  })
}
