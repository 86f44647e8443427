const HOUR_MS = 60 * 60 * 1_000

/** A session that nobody uses ends after this long, */
export const IDLE_MS = 12 * HOUR_MS
/** and any session after this, used or not. */
export const LONGEST_MS = 14 * 24 * HOUR_MS
/** How long a browser is known after somebody has signed in with it. */
export const DEVICE_MS = 180 * 24 * HOUR_MS
/** How exactly it is known when a session was last used: being exact would cost a write for every call. */
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

/** Whether a request that names an origin comes from a page of this gateway itself. */
export function isFromOwnPage(headers: Pick<Headers, 'get'>, publicUrl: string | null): boolean {
  const origin = headers.get('origin')
  if (origin === null) return true
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true
  const host = headers.get('host')
  const url = URL.parse(origin)
  return url !== null && host !== null && url.host === host.toLowerCase()
}
