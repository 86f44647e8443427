import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { Exchange } from '../../serve/ports/exchange.ts'
import { acceptsEncoding } from '../../wire/head-fields.ts'
import type { BuiltGuide, GuideFile } from './built-guide.ts'

// Everything is loaded from this gateway, and no inline script or style applies. Icons are `data:` URLs.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'content-security-policy': CONTENT_SECURITY_POLICY,
} as const

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

const UNKNOWN_TYPE = 'application/octet-stream'
// The names of these files change with their content.
const NAMED_BY_CONTENT = /^assets\//
const KEEP_FOREVER = 'public, max-age=31536000, immutable'

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Turnpike: documentation</title>
<h1>The documentation is not built</h1>
<p>Run <code>npm run docs</code> in the folder of the sources, then reload this page. You need not restart the gateway.</p>
<p>The same pages are in the folder <code>docs/</code>. The <a href="/docs">API reference</a> is always here.</p>
</html>
`

/** Answers with a page or a file of the site. */
export async function guideResponse(exchange: Exchange, built: BuiltGuide): Promise<Response> {
  const file = built.find(exchange.params['*'] ?? '')
  if (file === null) {
    const headers = {
      ...PAGE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    }
    return new Response(NOT_BUILT, { status: 404, headers })
  }
  return NAMED_BY_CONTENT.test(file.name) ? keptFile(exchange, file) : currentFile(exchange, file)
}

async function keptFile(exchange: Exchange, file: GuideFile): Promise<Response> {
  const { body, headers } = await encode(exchange, file)
  return new Response(body, { headers: { ...headers, 'cache-control': KEEP_FOREVER } })
}

/** Browsers keep it, and ask each time whether it is still current. */
async function currentFile(exchange: Exchange, file: GuideFile): Promise<Response> {
  const { body, headers } = await encode(exchange, file)
  const content = await body.bytes()
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`
  const all = { ...headers, 'cache-control': 'no-cache', etag }
  if (exchange.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: all })
  return new Response(content, { status: file.status, headers: all })
}

async function encode(exchange: Exchange, { path, name }: GuideFile) {
  const headers = {
    ...PAGE_HEADERS,
    'content-type': TYPES[extname(name)] ?? UNKNOWN_TYPE,
    vary: 'accept-encoding',
  }
  const compressed = Bun.file(`${path}.gz`)
  if (acceptsEncoding(exchange.headers, 'gzip') && (await compressed.exists())) {
    return { body: compressed, headers: { ...headers, 'content-encoding': 'gzip' } }
  }
  return { body: Bun.file(path), headers }
}
