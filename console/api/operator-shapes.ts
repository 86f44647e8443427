/** Answers of the operator API. Amounts and prices are decimal text in USDT, times RFC 3339. */

export const TIERS = ['Starter', 'Builder', 'Scale', 'Enterprise', 'Trial'] as const
export type TierName = (typeof TIERS)[number]

export interface TierAssignment {
  readonly tier: TierName
  readonly rpm: number | null
  readonly tpm: number | null
  readonly expires_at: string | null
  readonly reason: string
  readonly assigned_by: string
}

export interface OperatorAccount {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly earned_tier: TierName
  readonly tier_assignment: TierAssignment | null
  readonly total_paid: string
  /** null is unlimited. */
  readonly credit_line: string | null
  readonly balance_alert: string | null
  readonly created_at: string
  readonly tier: TierName
  readonly limits: { readonly rpm: number | null; readonly tpm: number | null }
  readonly balance: string
}

export interface OperatorKey {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly state: string
  readonly last_four: string | null
  readonly usage_limit: { readonly period: string; readonly amount: string } | null
  readonly expires_at: string | null
  readonly created_at: string
  readonly usage: { readonly period: string; readonly spent: string; readonly spent_this_month: string }
}

export interface AccountWebhook {
  readonly url: string
  readonly enabled: boolean
  readonly created_at: string
  /** Only in the answer that made it. */
  readonly secret?: string | null
}

export interface AccountAlert {
  readonly id: string
  readonly kind: string
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
  readonly delivery: { readonly state: string; readonly tries: number; readonly last_failure: string | null }
}

export const FORMATS = ['chat-completion', 'responses', 'messages', 'content-generation', 'images'] as const
export const MODEL_KINDS = ['text', 'image', 'image-edit'] as const

export interface Supplier {
  readonly id: string
  readonly type: string
  readonly base_url: string
  readonly formats: readonly string[]
  readonly source: 'shared' | 'byok'
  readonly account_id: string | null
  readonly enabled: boolean
  readonly options: Readonly<Record<string, string>>
  readonly timeouts: {
    readonly connect_seconds: number | null
    readonly first_byte_seconds: number | null
    readonly idle_seconds: number | null
  }
}

export interface Credential {
  readonly id: string
  readonly supplier: string
  readonly label: string | null
  readonly last_four: string | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly weight: number
  readonly state: 'active' | 'disabled'
}

/** How a credential has been doing on one route lately. */
export interface CredentialStanding extends Credential {
  readonly circuit: 'closed' | 'open' | 'half-open'
  readonly opens_again_at: string | null
  readonly cooling_until: string | null
  readonly latency_ms: number | null
  readonly success_rate: number
  readonly supplier_remaining: { readonly requests: number | null; readonly tokens: number | null } | null
  readonly remaining_requests: number | null
  readonly remaining_tokens: number | null
}

export interface Price {
  readonly input: string
  readonly output: string
  readonly cache_read: string
  readonly cache_write: string
  readonly image: string
}

export interface Route {
  readonly model: string
  readonly supplier: string
  readonly upstream_model: string
  readonly formats: readonly string[] | null
  readonly price: Price | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly priority: number
  readonly enabled: boolean
  readonly credentials: readonly CredentialStanding[]
}

export interface OperatorModel {
  readonly id: string
  readonly owned_by: string
  readonly display_name: string
  readonly description: string
  readonly kinds: readonly string[]
  readonly input_token_limit: number | null
  readonly output_token_limit: number | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly created_at: string
}

/** What a supplier said when it was asked with one credential. */
export interface Finding {
  readonly supplier: string
  readonly credential_id: string | null
  readonly label: string | null
  readonly last_four: string | null
  readonly model: string | null
  readonly format: string | null
  readonly result: string
  readonly status: number | null
  readonly latency_ms: number | null
  readonly hint: string
}

export interface ModelComparison {
  readonly supplier: string
  readonly offered: readonly string[]
  readonly configured: readonly string[]
  readonly catalog: readonly string[]
  readonly missing: readonly string[]
  readonly unknown: readonly string[]
}

export interface AuditEvent {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly before: unknown
  readonly after: unknown
}

export interface OperatorUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly is_operator: boolean
  readonly disabled: boolean
  readonly has_password: boolean
  readonly totp_enabled: boolean
  readonly accounts: readonly { readonly id: string; readonly role: string }[]
  readonly created_at: string
}
