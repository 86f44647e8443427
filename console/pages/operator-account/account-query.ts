import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator-lists.ts'
import type { OperatorAccount } from '../../api/operator-shapes.ts'

export function accountQuery(id: string) {
  return queryOptions({
    queryKey: [...ACCOUNTS_KEY, id],
    queryFn: ({ signal }) => api.get<OperatorAccount>(accountCall(id), { signal }),
  })
}
