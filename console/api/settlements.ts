import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { accountPath, api, getQuery } from './client.ts'
import type { Bodies, BodyStorage, ReadBodies, Settlement } from './wire.ts'

/** Null disables the query. */
export function useSettlement(account: string, id: string | null): UseQueryResult<Settlement> {
  return useQuery({ ...settlementQuery(account, id ?? ''), enabled: id !== null })
}

const AWAITED_TRIES = 12
const AWAITED_EVERY_MS = 400

/** For a request that has just ended: its settlement is stored shortly after. Null disables the query. */
export function useAwaitedSettlement(account: string, id: string | null): UseQueryResult<Settlement> {
  return useQuery({
    ...settlementQuery(account, id ?? ''),
    enabled: id !== null,
    retry: (failures) => failures < AWAITED_TRIES,
    retryDelay: AWAITED_EVERY_MS,
  })
}

function settlementQuery(account: string, id: string) {
  const path = accountPath(account, `/settlements/${encodeURIComponent(id)}`)
  // It never changes.
  return { ...getQuery<Settlement>([account, 'settlement', id], path), staleTime: Number.POSITIVE_INFINITY }
}

/** Requested only if the account stores bodies. Null until that is known. */
export function useBodies(account: string, id: string | null): UseQueryResult<Bodies> {
  const path = accountPath(account, `/bodies/${encodeURIComponent(id ?? '')}`)
  return useQuery({ ...getQuery<Bodies>([account, 'bodies', id], path), enabled: id !== null })
}

/** The same as a conversation. */
export function useConversationOf(account: string, id: string | null): UseQueryResult<ReadBodies> {
  const path = accountPath(account, `/bodies/${encodeURIComponent(id ?? '')}/conversation`)
  return useQuery({ ...getQuery<ReadBodies>([account, 'conversation', id], path), enabled: id !== null })
}

export function useBodyStorage(account: string): UseQueryResult<BodyStorage> {
  return useQuery(getQuery<BodyStorage>([account, 'body-storage'], accountPath(account, '/body-storage')))
}

export function saveBodyStorage(account: string, setting: BodyStorage): Promise<BodyStorage> {
  return api.put<BodyStorage>(accountPath(account, '/body-storage'), setting)
}
