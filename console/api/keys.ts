import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { KeyChange } from '../../src/vocabulary/api-key.ts'
import type { Sent } from '../../src/vocabulary/shape.ts'
import { useOptimistic } from '../parts/forms/use-optimistic.ts'
import { accountPath, api, getQuery, type Query } from './client.ts'
import { type List, useList } from './use-list.ts'
import type { ApiKey, IssuedKey, KeySettings } from './wire.ts'

/** The keys of an account, as the gateway narrows and orders them. */
export function useKeys(account: string, query: Query = {}): List<ApiKey> {
  return useList<ApiKey>([account, 'keys'], accountPath(account, '/keys'), query)
}

export function useKey(account: string, id: string): UseQueryResult<ApiKey> {
  return useQuery({
    ...getQuery<ApiKey>([account, 'keys', 'one', id], keyPath(account, id)),
    enabled: id !== '',
  })
}

export function keyCalls(account: string) {
  return {
    create: (settings: KeySettings) => api.post<IssuedKey>(accountPath(account, '/keys'), settings),
    change: (id: string, change: Sent<typeof KeyChange>) => api.patch<ApiKey>(keyPath(account, id), change),
    rotate: (id: string, graceSeconds: number) =>
      api.post<IssuedKey>(`${keyPath(account, id)}/rotate`, { grace_seconds: graceSeconds }),
    revoke: (id: string) => api.delete<ApiKey>(keyPath(account, id)),
  }
}

export type KeySwitch = Pick<ApiKey, 'state'>

/** Shows the new state immediately. If the gateway refuses, restores the old one and shows the reason. */
export function useKeySwitch(account: string): (key: ApiKey, change: KeySwitch) => Promise<void> {
  return useOptimistic<ApiKey, KeySwitch>({
    key: [account, 'keys'],
    act: ({ id }, { state }) => api.patch<ApiKey>(keyPath(account, id), { state }),
  })
}

function keyPath(account: string, id: string): string {
  return accountPath(account, `/keys/${encodeURIComponent(id)}`)
}
