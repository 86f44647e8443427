import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useOptimistic } from '../parts/use-optimistic.ts'
import { accountPath, api } from './client.ts'
import { type List, useList } from './use-list.ts'

export type Period = 'daily' | 'weekly' | 'monthly' | 'forever'
export type KeyState = 'active' | 'disabled' | 'expired' | 'revoked'

export interface RoutePolicy {
  readonly mode: 'intelligent' | 'specified_provider'
  readonly provider?: string
}

/** What can be chosen for a key. */
export interface KeySettings {
  readonly name: string
  readonly route_policy: RoutePolicy
  readonly usage_limit: { readonly period: Period; readonly amount: string } | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly model_allowlist: readonly string[] | null
  readonly budget: { readonly amount: string; readonly thresholds: readonly number[] } | null
  readonly expires_at: string | null
  readonly shared_fallback: boolean
}

export interface ApiKey extends KeySettings {
  readonly id: string
  readonly account_id: string
  readonly state: KeyState
  readonly last_four: string | null
  readonly created_at: string
  readonly usage: {
    readonly period: Period
    readonly spent: string
    readonly held: string
    readonly remaining: string | null
    readonly resets_at: string | null
    readonly spent_this_month: string
  }
}

/** A key at the only moment its secret can be seen. */
export interface IssuedKey extends ApiKey {
  readonly secret: string
}

// As many as one answer holds: names and filters then work on all keys of nearly every account.
const LARGEST_PAGE = 200

export function useKeys(account: string): List<ApiKey> {
  return useList<ApiKey>([account, 'keys'], accountPath(account, '/keys'), { limit: LARGEST_PAGE })
}

export function useKey(account: string, id: string): UseQueryResult<ApiKey> {
  return useQuery({
    queryKey: [account, 'keys', 'one', id],
    queryFn: ({ signal }) => api.get<ApiKey>(keyPath(account, id), { signal }),
  })
}

export function keyCalls(account: string) {
  return {
    create: (settings: KeySettings) => api.post<IssuedKey>(accountPath(account, '/keys'), settings),
    change: (id: string, change: Partial<KeySettings>) => api.patch<ApiKey>(keyPath(account, id), change),
    rotate: (id: string, graceSeconds: number) =>
      api.post<IssuedKey>(`${keyPath(account, id)}/rotate`, { grace_seconds: graceSeconds }),
    revoke: (id: string) => api.delete<ApiKey>(keyPath(account, id)),
  }
}

export type KeySwitch = Pick<ApiKey, 'state'>

/** Shows the new state at once, and the old one again, with the reason, when the gateway refuses. */
export function useKeySwitch(account: string): (key: ApiKey, change: KeySwitch) => Promise<void> {
  return useOptimistic<ApiKey, KeySwitch>({
    key: [account, 'keys'],
    act: ({ id }, { state }) => api.patch<ApiKey>(keyPath(account, id), { state }),
  })
}

function keyPath(account: string, id: string): string {
  return accountPath(account, `/keys/${encodeURIComponent(id)}`)
}
