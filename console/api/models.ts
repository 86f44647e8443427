import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { accountPath, getQuery } from './client.ts'
import type { Model } from './wire.ts'

// Only operators change the catalog, and an account event then refreshes it.
const FRESH_MS = 60_000

export function useModels(account: string, isWanted = true): UseQueryResult<ShownList<Model>> {
  const query = getQuery<ShownList<Model>>([account, 'models'], accountPath(account, '/models'))
  return useQuery({ ...query, staleTime: FRESH_MS, enabled: isWanted })
}
