import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { accountPath, api } from './client.ts'
import type { ModelPrice } from './models.ts'
import { type List, useList } from './use-list.ts'

export const OUTCOMES = ['completed', 'client_left', 'supplier_failed', 'refused', 'interrupted'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Tokens that do not overlap; `reasoning` is part of `output`. */
export interface SettledUsage {
  readonly input: number
  readonly cache_read: number
  readonly cache_write: number
  readonly output: number
  readonly reasoning: number
  readonly images: number
}

export interface Attempt {
  readonly supplier: string
  /** Told to operators, and to members for their own credentials. */
  readonly credential_id?: string | null
  readonly reason: string
  readonly result: 'answered' | 'failed' | 'refused' | 'client_left' | 'overtaken'
  readonly status: number | null
  readonly failure: string | null
  readonly started_at: string
  readonly first_byte_ms: number | null
  /** Absent in records of earlier versions. */
  readonly duration_ms?: number | null
}

/** The record of one admitted request; it never changes. */
export interface Settlement {
  readonly request_id: string
  readonly key_id: string
  readonly model: string
  readonly supplier: string | null
  readonly client_format: string
  readonly supplier_format: string | null
  readonly stream: boolean
  readonly usage: SettledUsage
  readonly provenance: 'supplier' | 'counted' | 'estimated'
  readonly price: ModelPrice | null
  readonly amount: string
  readonly outcome: Outcome
  readonly attempts: readonly Attempt[]
  readonly started_at: string
  readonly first_byte_ms: number | null
  readonly duration_ms: number
}

export interface SettlementFilters {
  readonly key_id?: string
  readonly model?: string
  readonly outcome?: string
  readonly from?: string
  readonly to?: string
}

export function useSettlements(account: string, filters: SettlementFilters): List<Settlement> {
  return useList<Settlement>([account, 'settlements'], accountPath(account, '/settlements'), { ...filters })
}

export function useSettlement(account: string, id: string): UseQueryResult<Settlement> {
  return useQuery(settlementQuery(account, id))
}

const AWAITED_TRIES = 12
const AWAITED_EVERY_MS = 400

/** For a request that ended this moment: it is settled right away and written soon after. Null asks for nothing. */
export function useAwaitedSettlement(account: string, id: string | null): UseQueryResult<Settlement> {
  return useQuery({
    ...settlementQuery(account, id ?? ''),
    enabled: id !== null,
    retry: (failures) => failures < AWAITED_TRIES,
    retryDelay: AWAITED_EVERY_MS,
  })
}

function settlementQuery(account: string, id: string) {
  return queryOptions({
    queryKey: [account, 'settlement', id],
    queryFn: ({ signal }) =>
      api.get<Settlement>(accountPath(account, `/settlements/${encodeURIComponent(id)}`), { signal }),
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** What was asked and answered, as text. */
export interface Bodies {
  readonly request: string
  /** null when nothing was delivered. */
  readonly response: string | null
  /** Whether only the beginning was kept. */
  readonly request_cut?: boolean
  readonly response_cut?: boolean
}

/** Asked for only when the account keeps bodies: null as long as that is not known. */
export function useBodies(account: string, id: string | null): UseQueryResult<Bodies> {
  return useQuery({
    queryKey: [account, 'bodies', id],
    queryFn: ({ signal }) =>
      api.get<Bodies>(accountPath(account, `/bodies/${encodeURIComponent(id ?? '')}`), { signal }),
    enabled: id !== null,
  })
}

export interface BodyStorage {
  readonly enabled: boolean
  readonly days: number
}

export function useBodyStorage(account: string): UseQueryResult<BodyStorage> {
  return useQuery({
    queryKey: [account, 'body-storage'],
    queryFn: ({ signal }) => api.get<BodyStorage>(accountPath(account, '/body-storage'), { signal }),
  })
}

export function saveBodyStorage(account: string, setting: BodyStorage): Promise<BodyStorage> {
  return api.put<BodyStorage>(accountPath(account, '/body-storage'), setting)
}
