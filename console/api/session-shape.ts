export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly is_operator: boolean
  readonly totp_enabled: boolean
  readonly has_password: boolean
}

export type Role = 'owner' | 'member'

/** An account of the user, and what the user may do there. */
export interface Membership {
  readonly id: string
  readonly name: string
  readonly role: Role
}

export interface Session {
  readonly user: User | null
  readonly accounts: readonly Membership[]
  readonly csrf_token: string
  /** Whether anybody may make an account. */
  readonly sign_up: boolean
  /** The provider that people may sign in with, if there is one. */
  readonly oidc: { readonly name: string } | null
  readonly version: string
}

export const SESSION_KEY = ['session'] as const
