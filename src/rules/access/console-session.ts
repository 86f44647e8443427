const HOUR_MS = 60 * 60 * 1_000

/** An unused session ends after this long, */
export const IDLE_MS = 12 * HOUR_MS
/** and any session after this, used or not. */
export const LONGEST_MS = 14 * 24 * HOUR_MS
/** How long a browser is known after a sign-in. */
export const DEVICE_MS = 180 * 24 * HOUR_MS
/** The precision of `lastSeenAtMs`. Exact values would cost a write for every call. */
export const TOUCH_MS = 60 * 1_000

export interface SessionTimes {
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
}

export function sessionEndMs({ createdAtMs, lastSeenAtMs }: SessionTimes): number {
  return Math.min(createdAtMs + LONGEST_MS, lastSeenAtMs + IDLE_MS)
}

export function isSessionOver(times: SessionTimes, nowMs: number): boolean {
  return nowMs >= sessionEndMs(times)
}

export function needsTouch({ lastSeenAtMs }: SessionTimes, nowMs: number): boolean {
  return nowMs - lastSeenAtMs >= TOUCH_MS
}

export interface CookieRule {
  /** Whether browsers use https. Then the cookie prefix keeps other sites, even siblings, from setting our cookies. */
  readonly isSecure: boolean
}

export const SESSION_COOKIE = 'turnpike_session'
/** Identifies a browser for CSRF checks before sign-in. */
export const VISIT_COOKIE = 'turnpike_visit'
/** Identifies a browser that was used to sign in before. */
export const DEVICE_COOKIE = 'turnpike_device'
/** The state of a sign-in at an identity provider. */
export const OUTSIDE_COOKIE = 'turnpike_oidc'

// Browsers accept a cookie with this prefix only from the same host, over https, for all paths.
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

/** Whether a request with an Origin header comes from a page of this gateway. */
export function isFromOwnPage(headers: Pick<Headers, 'get'>, publicUrl: string | null): boolean {
  const origin = headers.get('origin')
  if (origin === null) return true
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true
  const host = headers.get('host')
  const url = URL.parse(origin)
  return url !== null && host !== null && url.host === host.toLowerCase()
}
