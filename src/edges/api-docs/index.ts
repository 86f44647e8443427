import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import { buildDocument, type OpenApiDocument } from './build-document.ts'

// A single binary carries copies inside itself, where no package can be looked up.
const PAGE_FOLDER = join(import.meta.dirname, Bun.isStandaloneExecutable ? 'shipped/api-docs' : 'page')
const VIEWER_FOLDER = Bun.isStandaloneExecutable ? PAGE_FOLDER : findViewer()

function findViewer(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')
}

/** The page's own files and the few of the viewer that it needs; nothing else of either folder is given out. */
const FILES: ReadonlyMap<string, { readonly path: string; readonly type: string }> = new Map([
  ['start.js', { path: join(PAGE_FOLDER, 'start.js'), type: 'text/javascript; charset=utf-8' }],
  ['page.css', { path: join(PAGE_FOLDER, 'page.css'), type: 'text/css; charset=utf-8' }],
  [
    'swagger-ui-bundle.js',
    { path: join(VIEWER_FOLDER, 'swagger-ui-bundle.js'), type: 'text/javascript; charset=utf-8' },
  ],
  ['swagger-ui.css', { path: join(VIEWER_FOLDER, 'swagger-ui.css'), type: 'text/css; charset=utf-8' }],
])

// Everything comes from this gateway. The viewer's icons are written into its style sheet as `data:`.
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

const SAFETY_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' } as const

const common = { tag: 'Service', access: 'public' } as const

const documentContract: Contract = {
  ...common,
  id: 'showApiDocument',
  summary: 'Give this document',
  answer: {
    description: 'OpenAPI 3.1.',
    name: 'ApiDocument',
    schema: Type.Object({ openapi: Type.String(), info: Type.Object({}), paths: Type.Object({}) }),
    example: { openapi: '3.1.1', info: { title: 'Turnpike', version: '1.0.0' }, paths: {} },
  },
}

const pageContract: Contract = {
  ...common,
  id: 'showApiReference',
  summary: 'Show this document to people',
  answer: {
    description: 'A page.',
    name: null,
    schema: Type.String(),
    example: '<!doctype html>',
    contentType: 'text/html',
  },
}

const fileContract: Contract = {
  ...common,
  id: 'showApiReferenceFile',
  summary: 'Give a file the page needs',
  answer: {
    description: 'A script or a style sheet.',
    name: null,
    schema: Type.String(),
    example: 'body { margin: 0 }',
    contentType: '*/*',
  },
  errors: [404, 500, 503],
}

/** The endpoints, and with them those that describe them all. */
export function withApiDocs(endpoints: readonly Endpoint[], version: string): Endpoint[] {
  const all: Endpoint[] = [...endpoints, ...apiDocsEndpoints(() => buildDocument(all, version))]
  return all
}

/** The API document and the page that shows it, all of it from this machine. */
function apiDocsEndpoints(document: () => OpenApiDocument): Endpoint[] {
  const documentFile = once(() => keepFile(JSON.stringify(document()), 'application/json'))
  const page = once(async () =>
    keepFile(await Bun.file(join(PAGE_FOLDER, 'page.html')).text(), 'text/html; charset=utf-8'),
  )
  const files = new Map(
    [...FILES].map(([name, { path, type }]) => [
      name,
      once(async () => keepFile(await Bun.file(path).text(), type)),
    ]),
  )
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      contract: documentContract,
      handle: async (exchange) => give(exchange, await documentFile(), REVALIDATE),
    },
    {
      method: 'GET',
      path: '/docs',
      contract: pageContract,
      handle: async (exchange) => {
        const headers = { ...REVALIDATE, 'content-security-policy': CONTENT_SECURITY_POLICY }
        return give(exchange, await page(), headers)
      },
    },
    {
      method: 'GET',
      path: '/docs/:file',
      contract: fileContract,
      handle: async (exchange) => {
        const file = files.get(exchange.params.file ?? '')
        if (file === undefined) throw new GatewayError('not_found', 'The reference has no such file.')
        return give(exchange, await file(), KEEP_A_DAY)
      },
    },
  ]
}

// The document changes with every version, and nothing in its address tells.
const REVALIDATE = { 'cache-control': 'no-cache' } as const
const KEEP_A_DAY = { 'cache-control': 'public, max-age=86400' } as const

interface KeptFile {
  readonly text: string
  readonly type: string
  readonly etag: string
}

function keepFile(text: string, type: string): KeptFile {
  return { text, type, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` }
}

function give(exchange: Exchange, file: KeptFile, headers: Readonly<Record<string, string>>): Response {
  const told = { ...headers, ...SAFETY_HEADERS, etag: file.etag }
  if (exchange.headers.get('if-none-match') === file.etag) {
    return new Response(null, { status: 304, headers: told })
  }
  return new Response(file.text, { headers: { ...told, 'content-type': file.type } })
}

/** Made when it is first asked for, and never again: most gateways are never asked. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
