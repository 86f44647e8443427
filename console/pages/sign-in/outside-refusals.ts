/** Why signing in with another provider did not work, by the code the gateway puts into the address. */
export const OUTSIDE_REFUSALS: Readonly<Record<string, string>> = {
  oidc_failed: 'The provider could not be reached or gave an answer that cannot be trusted. Try again.',
  oidc_cancelled: 'The sign-in was cancelled at the provider.',
  oidc_email_unverified:
    'The provider has not verified your e-mail address. Verify it there, then try again.',
  oidc_email_in_use: 'There is a user with this e-mail address already. Sign in with the password.',
  oidc_no_account: 'Nobody here has this e-mail address, and this gateway does not take new users by itself.',
  oidc_disabled: 'This user is disabled. Ask the operator of this gateway.',
}
