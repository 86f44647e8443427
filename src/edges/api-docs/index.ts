import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import { type AboutGateway, buildDocument, type OpenApiDocument, PARTS, type Part } from './build-document.ts'

// A released program has copies beside its code, or inside itself, where no package can be looked up.
const SHIPPED = join(import.meta.dirname, 'shipped/api-docs')
const IS_RELEASED = existsSync(join(SHIPPED, 'page.css'))
const PAGE_FOLDER = IS_RELEASED ? SHIPPED : join(import.meta.dirname, 'page')
const VIEWER_FOLDER = IS_RELEASED ? SHIPPED : findViewer()

function findViewer(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')
}

/** The files of the page, and those of the viewer that it needs. No other file of these folders is served. */
const FILES: ReadonlyMap<string, { readonly path: string; readonly type: string }> = new Map([
  ['start.js', { path: join(PAGE_FOLDER, 'start.js'), type: 'text/javascript; charset=utf-8' }],
  ['scheme.js', { path: join(PAGE_FOLDER, 'scheme.js'), type: 'text/javascript; charset=utf-8' }],
  ['page.css', { path: join(PAGE_FOLDER, 'page.css'), type: 'text/css; charset=utf-8' }],
  [
    'swagger-ui-bundle.js',
    { path: join(VIEWER_FOLDER, 'swagger-ui-bundle.js'), type: 'text/javascript; charset=utf-8' },
  ],
  ['swagger-ui.css', { path: join(VIEWER_FOLDER, 'swagger-ui.css'), type: 'text/css; charset=utf-8' }],
])

// Everything is loaded from this gateway. The viewer's style sheet contains its icons as `data:` URLs.
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
  summary: 'Get this document',
  parameters: [
    {
      name: 'part',
      in: 'query',
      description:
        'Only the operations for programs with an API key (`client`), for operators, or of the console; all of them by default.',
      schema: Type.Enum([...PARTS]),
    },
  ],
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
  summary: 'Show this document as a page',
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
  summary: 'Get a file that the page needs',
  answer: {
    description: 'A script or a style sheet.',
    name: null,
    schema: Type.String(),
    example: 'body { margin: 0 }',
    contentType: '*/*',
  },
  errors: [404, 500, 503],
}

/** Adds the endpoints that document all endpoints, including themselves. */
export function withApiDocs(endpoints: readonly Endpoint[], about: AboutGateway): Endpoint[] {
  const all: Endpoint[] = [...endpoints, ...apiDocsEndpoints((part) => buildDocument(all, about, part))]
  return all
}

/** The API document and the page that shows it. */
function apiDocsEndpoints(document: (part: Part | null) => OpenApiDocument): Endpoint[] {
  const fileOf = (part: Part | null) =>
    once(() => cacheFile(JSON.stringify(document(part)), 'application/json'))
  const whole = fileOf(null)
  const parts = new Map<string, () => CachedFile>(PARTS.map((part) => [part, fileOf(part)]))
  // A part that does not exist is the whole, so that tools with parameters of their own still find it.
  const documentFile = ({ query }: Exchange) => (parts.get(query.get('part') ?? '') ?? whole)()
  const page = once(async () =>
    cacheFile(await Bun.file(join(PAGE_FOLDER, 'page.html')).text(), 'text/html; charset=utf-8'),
  )
  const files = new Map(
    [...FILES].map(([name, { path, type }]) => [
      name,
      once(async () => cacheFile(await Bun.file(path).text(), type)),
    ]),
  )
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      contract: documentContract,
      handle: (exchange) => respond(exchange, documentFile(exchange), REVALIDATE),
    },
    {
      method: 'GET',
      path: '/docs',
      contract: pageContract,
      handle: async (exchange) => {
        const headers = { ...REVALIDATE, 'content-security-policy': CONTENT_SECURITY_POLICY }
        return respond(exchange, await page(), headers)
      },
    },
    {
      method: 'GET',
      path: '/docs/:file',
      contract: fileContract,
      handle: async (exchange) => {
        const file = files.get(exchange.params.file ?? '')
        if (file === undefined) throw new GatewayError('not_found', 'The API reference has no such file.')
        return respond(exchange, await file(), KEEP_A_DAY)
      },
    },
  ]
}

// The document changes with every version, but its URL does not.
const REVALIDATE = { 'cache-control': 'no-cache' } as const
const KEEP_A_DAY = { 'cache-control': 'public, max-age=86400' } as const

interface CachedFile {
  readonly text: string
  readonly type: string
  readonly etag: string
}

function cacheFile(text: string, type: string): CachedFile {
  return { text, type, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` }
}

function respond(exchange: Exchange, file: CachedFile, headers: Readonly<Record<string, string>>): Response {
  const allHeaders = { ...headers, ...SAFETY_HEADERS, etag: file.etag }
  if (exchange.headers.get('if-none-match') === file.etag) {
    return new Response(null, { status: 304, headers: allHeaders })
  }
  return new Response(file.text, { headers: { ...allHeaders, 'content-type': file.type } })
}

/** Calls `make` on first use only: most gateways never serve these files. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
