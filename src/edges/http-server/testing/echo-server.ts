import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint, Exchange, HttpMethod, Reply } from '../../../serve/ports/exchange.ts'
import type { RequestLine } from '../../../serve/ports/log.ts'
import type { ServerOptions } from '../dispatcher.ts'
import { type HttpServer, startServer } from '../serve.ts'

/** A request as its handler saw it. */
export interface Echo {
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Null for GET, whose body is not read. */
  readonly body: string | null
}

export interface EchoServer {
  readonly server: HttpServer
  readonly port: number
  readonly url: string
  /** `POST /echo` for every handler that was begun, in order. */
  readonly begun: string[]
  readonly lines: RequestLine[]
  readonly troubles: unknown[]
}

export type EchoServerOptions = Partial<ServerOptions> & { readonly headSeconds?: number }

export const MAX_BODY_BYTES = 4_000

/**
 * `/echo`, `/things/:id`, `/items/:id` and `/files/*` answer with the request, `/unread` never reads its body, `/refuse`
 * refuses and `/fail` fails. Tests can add their own endpoints.
 */
export function startEchoServer({ endpoints = [], ...options }: EchoServerOptions = {}): EchoServer {
  const begun: string[] = []
  const lines: RequestLine[] = []
  const troubles: unknown[] = []
  const server = startServer({
    hostname: '127.0.0.1',
    port: 0,
    endpoints: [...echoEndpoints(), ...endpoints].map((endpoint) => noting(endpoint, begun)),
    bodyLimits: { maxBytes: MAX_BODY_BYTES, timeoutMs: 5_000 },
    clock: { nowMs: () => Date.now() },
    log: {
      request: (line) => void lines.push(line),
      attemptFailed: () => undefined,
      notice: () => undefined,
      trouble: (_what, error) => void troubles.push(error),
    },
    ...options,
  })
  return { server, port: server.port, url: server.url, begun, lines, troubles }
}

function noting(endpoint: Endpoint, begun: string[]): Endpoint {
  return {
    ...endpoint,
    handle: (exchange) => {
      begun.push(`${exchange.method} ${exchange.path}`)
      return endpoint.handle(exchange)
    },
  }
}

function echoEndpoints(): Endpoint[] {
  const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  return [
    ...methods.map((method) => ({ method, path: '/echo', handle: echo })),
    ...methods.map((method) => ({ method, path: '/things/:id', handle: echo })),
    { method: 'GET', path: '/items/:id', handle: echo },
    { method: 'GET', path: '/items/:id/parts/:part', handle: echo },
    { method: 'GET', path: '/files/*', handle: echo },
    { method: 'POST', path: '/unread', handle: () => reply('unread') },
    { method: 'GET', path: '/smuggled', handle: () => reply('smuggled') },
    { method: 'GET', path: '/refuse', handle: () => refuse() },
    { method: 'GET', path: '/fail', handle: () => fail() },
  ]
}

async function echo(exchange: Exchange): Promise<Reply> {
  const body = exchange.method === 'GET' || exchange.method === 'HEAD' ? null : await exchange.readText()
  const echoed: Echo = {
    method: exchange.method,
    path: exchange.path,
    query: [...exchange.query],
    params: { ...exchange.params },
    headers: fieldsOf(exchange),
    body,
  }
  return reply(JSON.stringify(echoed), { 'content-type': 'application/json' })
}

/** Each name once, with the value that handlers get for it. */
function fieldsOf({ headers }: Exchange): Record<string, string> {
  const names: string[] = []
  headers.forEach((_value, name) => void names.push(name))
  return Object.fromEntries(names.map((name) => [name, headers.get(name) ?? '']))
}

function refuse(): never {
  throw new GatewayError('permission_denied', 'Not for you.', { headers: { 'x-more': 'yes' } })
}

function fail(): never {
  throw new Error('the inside')
}

export function reply(body: Reply['body'], headers: Record<string, string> = {}, status = 200): Reply {
  return { status, headers, body }
}

export function readEcho(answer: { readonly body: Buffer }): Echo {
  return JSON.parse(answer.body.toString()) as Echo
}

/** The code in the envelope of an error. */
export function codeOf(answer: { readonly body: Buffer }): string {
  const { error } = JSON.parse(answer.body.toString()) as { error: { code: string } }
  return error.code
}
