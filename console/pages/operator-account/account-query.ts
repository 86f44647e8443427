import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'

export function accountQuery(id: string) {
  return queryOptions({
    queryKey: [...ACCOUNTS_KEY, id],
    queryFn: ({ signal }) => api.get<Account>(accountCall(id), { signal }),
  })
}
