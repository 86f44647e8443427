import type { UseQueryResult } from '@tanstack/react-query'
import { useQuery } from '@tanstack/react-query'
import { api } from './client.ts'
import { OPERATOR } from './operator-lists.ts'
import type { Settlement } from './settlements.ts'

/** A settlement as operators see it: whose it is, and with which credential it was served. */
export interface OperatorSettlement extends Settlement {
  readonly account_id: string
  readonly credential_id: string | null
}

export const SETTLEMENTS = `${OPERATOR}/settlements`

export function useOperatorSettlement(id: string): UseQueryResult<OperatorSettlement> {
  return useQuery({
    queryKey: ['operator', 'settlements', id],
    queryFn: ({ signal }) =>
      api.get<OperatorSettlement>(`${SETTLEMENTS}/${encodeURIComponent(id)}`, { signal }),
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}
