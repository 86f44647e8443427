import type { Entry, Whereabouts } from './identity.ts'

/** How a sign-in at another provider can go wrong; the sign-in page has words for each. */
export const OUTSIDE_FAILURES = [
  'oidc_failed',
  'oidc_cancelled',
  'oidc_email_unverified',
  'oidc_email_in_use',
  'oidc_no_account',
  'oidc_disabled',
] as const
export type OutsideFailure = (typeof OUTSIDE_FAILURES)[number]

/** Who a provider says somebody is. */
export interface OutsideIdentity {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly name: string | null
}

/** What must be known again when the user comes back from the provider. */
export interface OutsideFlow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly callbackUrl: string
}

/** A provider of identities elsewhere. Throws when it cannot be reached, or when what comes back is not to be believed. */
export interface OutsideProvider {
  readonly name: string
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly flow: OutsideFlow }>
  finish(query: string, flow: OutsideFlow): Promise<OutsideIdentity>
}

export interface OutsideSignIn {
  readonly name: string
  /** Where to send the browser, and a sealed text to give back when it returns. */
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly ticket: string } | OutsideFailure>
  finish(
    returned: { readonly query: URLSearchParams; readonly ticket: string | null },
    whereabouts: Whereabouts,
  ): Promise<Entry | OutsideFailure>
}
