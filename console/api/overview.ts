import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { accountPath, api } from './client.ts'

export interface Limits {
  readonly rpm: number | null
  readonly tpm: number | null
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly earned_tier: string
  readonly tier: string
  readonly tier_assignment: TierAssignment | null
  readonly limits: Limits
  readonly total_paid: string
  readonly balance: string
  /** How far below zero the balance may go; null is as far as it likes. */
  readonly credit_line: string | null
  readonly balance_alert: string | null
  readonly created_at: string
}

export interface TierAssignment {
  readonly tier: string
  readonly expires_at: string | null
}

export interface Tier {
  readonly name: string
  readonly next: {
    readonly name: string
    readonly total_paid_needed: string
    readonly remaining: string
  } | null
  readonly limits: Limits
}

export interface UsageTotals {
  readonly requests: number
  readonly failed: number
  readonly tokens: {
    readonly input: number
    readonly cache_read: number
    readonly cache_write: number
    readonly output: number
  }
  readonly images: number
  readonly amount: string
  readonly first_byte_ms_avg: number | null
  readonly duration_ms_avg: number | null
}

export interface Alert {
  readonly id: string
  readonly kind: string
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Overview {
  readonly account: Account
  readonly tier: Tier
  readonly spend: { readonly today: string; readonly month: string }
  readonly totals: UsageTotals
  readonly keys: { readonly active: number; readonly total: number }
  readonly alerts: readonly Alert[]
}

export interface Times {
  readonly from: string
  readonly to: string
}

export function useOverview(account: string, { from, to }: Times): UseQueryResult<Overview> {
  const query = { from, to }
  return useQuery({
    queryKey: [account, 'overview', query],
    queryFn: ({ signal }) => api.get<Overview>(accountPath(account, '/overview'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}
