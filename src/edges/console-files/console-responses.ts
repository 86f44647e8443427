import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Exchange } from '../../serve/ports/exchange.ts'
import { acceptsEncoding } from '../../wire/head-fields.ts'
import type { BuiltConsole } from './built-console.ts'

const SAFETY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
} as const

const NONCE_BYTES = 16

/** Answers with the page. Each answer has a new nonce: only style elements with it apply, and no inline script runs. */
export function pageResponse(built: BuiltConsole): Response {
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

/** Everything is loaded from this gateway; the page may also show images and play audio that it has received. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ')
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The encodings that the build provides, in order of preference. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** Answers with a file of the build. Its name changes with its content, so browsers may cache it forever. */
export async function fileResponse(exchange: Exchange, built: BuiltConsole, name: string): Promise<Response> {
  const path = built.pathOf(name)
  const type = TYPES[extname(name)]
  if (path === null || type === undefined || !(await Bun.file(path).exists())) {
    throw new GatewayError('not_found', 'The console has no such file. Reload the page.')
  }
  const headers: Record<string, string> = {
    ...SAFETY_HEADERS,
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  }
  for (const { name: encoding, suffix } of ENCODINGS) {
    const file = Bun.file(path + suffix)
    if (!acceptsEncoding(exchange.headers, encoding) || !(await file.exists())) continue
    return new Response(file, { headers: { ...headers, 'content-encoding': encoding } })
  }
  return new Response(Bun.file(path), { headers })
}
