import { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError, renderError } from '../../errors/render-error.ts'
import type { Endpoint, Exchange, HttpMethod, Reply } from '../../serve/ports/exchange.ts'
import { type Log, loggedError, type RequestFindings } from '../../serve/ports/log.ts'
import type { RequestObserver } from '../../serve/ports/request-observer.ts'
import type { ReadForm } from '../../serve/ports/uploads.ts'
import type { OpenWebSocket } from '../../serve/ports/web-socket.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { TrustedProxies } from '../../wire/trusted-proxies.ts'
import { type AnswerParts, headLines } from './answer-sender.ts'
import type { BodyBudget } from './body-budget.ts'
import { answerPreflight } from './cors.ts'
import type { DescriptorGuard } from './descriptors.ts'
import type { BodyLimits } from './incoming-body.ts'
import type { ConnectionLimits } from './open-connections.ts'
import type { SocketExchange } from './socket-exchange.ts'
import { unknownPath } from './unknown-path.ts'
import { acceptHandshake, noWebSocketHere } from './web-socket/handshake.ts'

export interface ServerOptions {
  readonly hostname: string
  readonly port: number
  readonly endpoints: readonly Endpoint[]
  readonly bodyLimits: BodyLimits
  /** Absent: no limit on memory for bodies. */
  readonly bodyBudget?: BodyBudget
  readonly readForm?: ReadForm
  /** Absent: clients connect without a proxy. */
  readonly proxies?: TrustedProxies
  /** How long a connection may be idle between requests. */
  readonly idleSeconds?: number
  /** How long a client may take to send the head of a request. */
  readonly headSeconds?: number
  /** Whether other processes of this gateway listen on the same port and share its connections. */
  readonly sharesPort?: boolean
  readonly connectionLimits?: ConnectionLimits
  /** Told of every error of an endpoint that API keys can call. */
  readonly noteRefusal?: (exchange: Exchange, error: GatewayError) => void
  /** Checks for free file descriptors. */
  readonly descriptorGuard?: Pick<DescriptorGuard, 'check' | 'close'>
  readonly clock: Clock
  readonly log: Log
  /** Absent: requests are not traced. */
  readonly observer?: RequestObserver | undefined
}

type DispatcherOptions = Pick<ServerOptions, 'endpoints' | 'noteRefusal' | 'clock' | 'log' | 'observer'>

/** A request that has been answered, with what is known about it. */
interface ServedRequest extends RequestFindings {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly route: string | null
  readonly startedAtMs: number
}

/** The connection that a request came over. */
interface AnsweringConnection {
  answer(parts: AnswerParts, exchange: SocketExchange): void
  upgrade(lines: string, exchange: SocketExchange, open: OpenWebSocket): void
}

/** Finds the endpoint of each request and sends its answer, an error included. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #resources: Resources
  isClosing = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#resources = new Resources(options.endpoints)
  }

  /** Never rejects: every failure becomes an answer. One async function, because each further one costs a promise. */
  async serve(exchange: SocketExchange, connection: AnsweringConnection): Promise<void> {
    const found = this.#resources.find(exchange.path)
    const endpoint = found?.resource.endpoints.get(exchange.method)
    if (endpoint !== undefined) this.#begin(exchange, endpoint)
    if (exchange.head.wantsWebSocket) return this.#upgrade(exchange, connection, endpoint)
    if (endpoint === undefined) {
      this.#send(answerWithoutEndpoint(exchange, found), exchange, connection)
      return
    }
    let parts: AnswerParts
    try {
      if (this.isClosing && !endpoint.isServedWhileClosing) throw shuttingDown()
      if (found?.params) exchange.params = found.params
      const answer = await endpoint.handle(exchange)
      parts = answer instanceof Response ? await partsOf(answer) : answer
    } catch (thrown) {
      parts = this.#refuse(thrown, exchange, endpoint)
    }
    this.#send(parts, exchange, connection)
  }

  /** Probes of the gateway itself, such as health checks, are not traced. */
  #begin(exchange: SocketExchange, { path, isServedWhileClosing }: Endpoint): void {
    exchange.route = path
    const { observer } = this.#options
    if (observer === undefined || isServedWhileClosing) return
    const trace = observer.begin(exchange.headers)
    if (trace !== null) exchange.trace = trace
  }

  /** Opens a WebSocket, or refuses it with an ordinary answer. */
  async #upgrade(
    exchange: SocketExchange,
    connection: AnsweringConnection,
    endpoint: Endpoint | undefined,
  ): Promise<void> {
    const { headers, path } = exchange
    try {
      if (endpoint?.acceptWebSocket === undefined) throw noWebSocketHere(path)
      if (this.isClosing) throw shuttingDown()
      const accept = acceptHandshake(headers)
      if (exchange.bodyLength > 0) throw new GatewayError('invalid_request', 'A handshake has no body.')
      const open = await endpoint.acceptWebSocket(exchange)
      const fields = { upgrade: 'websocket', 'sec-websocket-accept': accept }
      this.note(exchange, 101)
      connection.upgrade(`${headLines(101, fields)}connection: upgrade\r\n`, exchange, open)
    } catch (thrown) {
      this.#send(this.#refuse(thrown, exchange, endpoint), exchange, connection)
    }
  }

  /** Logs, counts and traces a request that has been answered. */
  note(request: ServedRequest, status: number): void {
    const { log, clock, observer } = this.#options
    const { requestId, method, path, startedAtMs, trace } = request
    const durationMs = clock.nowMs() - startedAtMs
    log.request({ requestId, method, path, status, durationMs, findings: request })
    if (observer === undefined || trace === undefined || trace.recording === null) return
    const { route, keyHolder, error } = request
    observer.noteAnswered({
      requestId,
      trace,
      method,
      route,
      status,
      errorCode: error?.code ?? null,
      accountId: keyHolder?.account.id ?? null,
      keyId: keyHolder?.key.id ?? null,
      startedAtMs,
      durationMs,
    })
  }

  /** Logs a problem to look into. */
  report(what: string, problem: unknown): void {
    this.#options.log.trouble(what, problem)
  }

  /** The answer to bytes that are not a valid request. */
  refuse(error: GatewayError, requestId: string): AnswerParts {
    const answer = renderError(error, requestId)
    // A large body and a large head have the same code, but different statuses.
    const status = error.code === 'request_too_large' ? 431 : answer.status
    const findings = { error: loggedError(error) }
    this.#options.log.request({ requestId, method: '', path: '', status, durationMs: 0, findings })
    return { ...answer, status }
  }

  #refuse(thrown: unknown, exchange: SocketExchange, endpoint: Endpoint | undefined): Reply {
    const error = exchange.interruption ?? asGatewayError(thrown)
    exchange.error = loggedError(error, exchange.bodyOwner)
    if (error.code === 'internal_error' && !exchange.hasClientLeft) {
      this.#options.log.trouble(
        'a request failed with an internal error',
        error.cause ?? error,
        exchange.requestId,
      )
    }
    if (endpoint?.contract?.access === 'key') this.#options.noteRefusal?.(exchange, error)
    return renderError(error, exchange.requestId, endpoint?.dressError)
  }

  #send(parts: AnswerParts, exchange: SocketExchange, connection: AnsweringConnection): void {
    const { requestId } = exchange
    // What a stream has cost is known at its end.
    if (isPushed(parts.body)) exchange.onOver = () => this.note(exchange, parts.status)
    else this.note(exchange, parts.status)
    try {
      connection.answer(parts, exchange)
    } catch (problem) {
      // Nothing has been sent yet: headers are checked first.
      this.#options.log.trouble('an answer could not be sent', problem, requestId)
      connection.answer(renderError(asGatewayError(problem), requestId), exchange)
    }
  }
}

function isPushed(body: AnswerParts['body']): boolean {
  return typeof body === 'object' && body !== null && 'pushTo' in body
}

function answerWithoutEndpoint(exchange: SocketExchange, found: Found | null): Reply {
  const { method, path, requestId } = exchange
  const allowed = found?.resource.allowed ?? ALL_METHODS
  if (method === 'OPTIONS') return answerPreflight(exchange, allowed)
  const error = found === null ? unknownPath(path) : wrongMethod(method, allowed)
  exchange.error = loggedError(error)
  return renderError(error, requestId)
}

async function partsOf(response: Response): Promise<AnswerParts> {
  const { status, headers, body } = response
  if (body === null) return { status, headers, body }
  const isStream =
    headers.has('content-length') || headers.get('content-type')?.startsWith('text/event-stream')
  return { status, headers, body: isStream ? body : await response.bytes() }
}

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

function shuttingDown(): GatewayError {
  return new GatewayError('shutting_down', 'This gateway is shutting down; try again.', {
    headers: { connection: 'close', 'retry-after': '1' },
  })
}

/** The endpoints of one path, by method. */
export interface Resource {
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** The methods named in a 405 answer. */
  readonly allowed: readonly string[]
}

export interface Found {
  readonly resource: Resource
  /** Values of the path parameters; null when the path has none. */
  readonly params: Readonly<Record<string, string>> | null
}

interface Pattern {
  readonly segments: readonly string[]
  readonly resource: Resource
}

/** All paths of a server. Fixed paths win over paths with parameters. */
export class Resources {
  readonly #fixed = new Map<string, Found>()
  readonly #patterns: Pattern[] = []

  constructor(endpoints: readonly Endpoint[]) {
    for (const [path, those] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
      const resource = { endpoints: byMethod(those), allowed: allowedMethods(those) }
      if (VARYING.test(path)) this.#patterns.push({ segments: path.split('/'), resource })
      else this.#fixed.set(path, { resource, params: null })
    }
    this.#patterns.sort((one, other) => compareSegments(one.segments, other.segments))
  }

  find(path: string): Found | null {
    return this.#fixed.get(path) ?? this.#findVarying(path)
  }

  #findVarying(path: string): Found | null {
    const segments = path.split('/')
    for (const { segments: wanted, resource } of this.#patterns) {
      const params = match(wanted, segments)
      if (params !== null) return { resource, params }
    }
    return null
  }
}

const VARYING = /\/[:*]/

function byMethod(endpoints: readonly Endpoint[]): Map<string, Endpoint> {
  const methods = new Map<string, Endpoint>(endpoints.map((endpoint) => [endpoint.method, endpoint]))
  const get = methods.get('GET')
  if (get !== undefined) methods.set('HEAD', get)
  return methods
}

function allowedMethods(endpoints: readonly Endpoint[]): string[] {
  const methods: (HttpMethod | 'HEAD' | 'OPTIONS')[] = endpoints.map((endpoint) => endpoint.method)
  if (methods.includes('GET')) methods.push('HEAD')
  return [...methods, 'OPTIONS']
}

function match(wanted: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [place, part] of wanted.entries()) {
    if (part === '*') {
      if (segments.length <= place) return null
      params['*'] = decode(segments.slice(place).join('/'))
      return params
    }
    const segment = segments[place] ?? ''
    if (part.startsWith(':')) {
      if (segment === '') return null
      params[part.slice(1)] = decode(segment)
    } else if (part !== segment) return null
  }
  return wanted.length === segments.length ? params : null
}

/** Orders names before parameters, and parameters before wildcards. */
function compareSegments(one: readonly string[], other: readonly string[]): number {
  for (const [place, part] of one.entries()) {
    const difference = vagueness(part) - vagueness(other[place] ?? '')
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

function vagueness(segment: string): number {
  if (segment === '*') return 2
  return segment.startsWith(':') ? 1 : 0
}

/** Leaves invalid percent-encoding as it is: such a path matches no resource. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function wrongMethod(method: string, allowed: readonly string[]): GatewayError {
  return new GatewayError(
    'method_not_allowed',
    `${method} is not allowed here; use ${allowed.join(' or ')}.`,
    {
      headers: { allow: allowed.join(', ') },
    },
  )
}
