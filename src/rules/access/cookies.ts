export interface CookieRule {
  /** Whether browsers reach this gateway over https: then no other site, not even a sibling, can plant a cookie. */
  readonly isSecure: boolean
}

export const SESSION_COOKIE = 'turnpike_session'
/** What forgery is told by before anybody has signed in. */
export const VISIT_COOKIE = 'turnpike_visit'
/** By which a browser is known that somebody has signed in with before. */
export const DEVICE_COOKIE = 'turnpike_device'
/** Where a sign-in at another provider stands. */
export const OUTSIDE_COOKIE = 'turnpike_oidc'

// Browsers take a cookie of this prefix only from the very host, over https, for the whole of it.
function fullName(name: string, { isSecure }: CookieRule): string {
  return isSecure ? `__Host-${name}` : name
}

export function readCookie(headers: Pick<Headers, 'get'>, name: string, rule: CookieRule): string | null {
  const wanted = fullName(name, rule)
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const mark = pair.indexOf('=')
    if (mark > 0 && pair.slice(0, mark).trim() === wanted) return pair.slice(mark + 1).trim()
  }
  return null
}

export interface Cookie {
  readonly name: string
  /** Base64url or another text of plain characters. */
  readonly value: string
  readonly maxAgeSeconds: number
}

export function writeCookie({ name, value, maxAgeSeconds }: Cookie, rule: CookieRule): string {
  const secure = rule.isSecure ? '; Secure' : ''
  return `${fullName(name, rule)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

export function clearCookie(name: string, rule: CookieRule): string {
  return writeCookie({ name, value: '', maxAgeSeconds: 0 }, rule)
}
