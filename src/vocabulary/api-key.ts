import type { NanoUsdt } from './money.ts'

export type RoutePolicy =
  | { readonly mode: 'intelligent' }
  | { readonly mode: 'specified_provider'; readonly provider: string }

export const USAGE_PERIODS = ['daily', 'weekly', 'monthly', 'forever'] as const
export type UsagePeriod = (typeof USAGE_PERIODS)[number]

/** A fixed amount per period; a key without one has no limit of its own. */
export interface UsageLimit {
  readonly period: UsagePeriod
  readonly amountNano: NanoUsdt
}

/** A monthly amount that warns at its thresholds (percent) and never blocks. */
export interface Budget {
  readonly amountNano: NanoUsdt
  readonly thresholds: readonly number[]
}

/** What is stored of a secret: its fingerprint and last four characters, never the secret. */
export interface KeySecret {
  readonly fingerprint: string
  readonly lastFour: string
  /** Set when a rotation lets an old secret live on for a while. */
  readonly expiresAtMs: number | null
}

export type KeyState = 'active' | 'disabled' | 'revoked'

export interface ApiKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly state: KeyState
  readonly routePolicy: RoutePolicy
  readonly usageLimit: UsageLimit | null
  readonly rpm: number | null
  readonly tpm: number | null
  /** Exact ids and `prefix*`; null allows every model. */
  readonly modelAllowlist: readonly string[] | null
  readonly budget: Budget | null
  readonly expiresAtMs: number | null
  /** Whether shared routes may serve what the account's own suppliers cannot. */
  readonly sharedFallback: boolean
  readonly createdAtMs: number
  /** Newest first. */
  readonly secrets: readonly KeySecret[]
}
