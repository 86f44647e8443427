import type { Operations } from '../../../../manage/ports/operations.ts'
import {
  Refusal,
  RefusalCount,
  RefusalCountFilter,
  RefusalFilter,
} from '../../../../vocabulary/observability/refusal.ts'
import { definer, listOf } from '../../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Refusals', access: 'operator', method: 'GET' } as const

export const refusalEndpoints = [
  define({
    ...common,
    path: '/refusals',
    id: 'listRefusals',
    summary: 'List refused requests, newest first',
    description:
      'The last ones in detail: at most 20 of a key and 200 of an account, for two days. Requests without a known key are only counted.',
    query: RefusalFilter.fields,
    answer: listOf(Refusal),
    handle: (operations, { query, page }) => operations.listRefusals(query, page),
  }),
  define({
    ...common,
    path: '/refusals/counts',
    id: 'countRefusals',
    summary: 'Count refused requests by period, key and code',
    description: 'Newest period first, for the last 14 days.',
    query: RefusalCountFilter.fields,
    answer: listOf(RefusalCount),
    handle: (operations, { query: { span = 'hour', ...filter }, page }) =>
      operations.countRefusals({ filter, span }, page),
  }),
]
