import { randomBytes } from 'node:crypto'
import type { BuiltConsole } from './built-console.ts'
import { SAFETY_HEADERS } from './safety-headers.ts'

const NONCE_BYTES = 16

/** The page, with a nonce of its own: only style elements that carry it are admitted, and no inline script at all. */
export function givePage(built: BuiltConsole): Response {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  return new Response(built.page().replace('__NONCE__', nonce), {
    headers: {
      ...SAFETY_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy(nonce),
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    },
  })
}

/** Everything comes from this gateway; pictures may also be made by the page itself. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ')
}
