import { useState } from 'react'

const KEPT_UNDER = 'turnpike-link'

/** The token behind `#` of a link. It stays for this tab, so that the user can sign in first and come back. */
export function useLinkToken(): string {
  const [token] = useState(() => {
    const given = window.location.hash.slice(1)
    if (given !== '') sessionStorage.setItem(KEPT_UNDER, given)
    return given || (sessionStorage.getItem(KEPT_UNDER) ?? '')
  })
  return token
}

export function forgetLinkToken(): void {
  sessionStorage.removeItem(KEPT_UNDER)
}
