import { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError, renderError } from '../../errors/render-error.ts'
import type { Endpoint, HttpMethod, Reply } from '../../gateway/ports/exchange.ts'
import { BunExchange, type ExchangeOptions, makeRequestId } from './bun-exchange.ts'
import { allowBrowsers, answerPreflight } from './cors.ts'
import type { ServerOptions } from './serve.ts'
import { unknownPath, wrongMethod } from './unknown-path.ts'

type BunServer = Bun.Server<undefined>
type Handler = (request: Bun.BunRequest, server: BunServer) => Promise<Response>

export interface DeskOptions extends ServerOptions {
  readonly idleSeconds: number
}

/** Where requests arrive: gives each its exchange, its endpoint, and whatever happens an answer with its id. */
export class RequestDesk {
  readonly #options: DeskOptions
  /** Those whose answer has not begun. */
  readonly #waiting = new Set<BunExchange>()
  isClosing = false
  /** Whether clients should come back on another connection. */
  isLeaving = false

  constructor(options: DeskOptions) {
    this.#options = options
  }

  routes(): Record<string, Record<string, Handler>> {
    const routes: Record<string, Record<string, Handler>> = {}
    for (const [path, endpoints] of Map.groupBy(this.#options.endpoints, (endpoint) => endpoint.path)) {
      routes[path] = this.#methods(endpoints)
    }
    return routes
  }

  async refuseUnknownPath(request: Request, server: BunServer): Promise<Response> {
    const exchange = new BunExchange(request, server, this.#exchangeOptions(null))
    if (request.method === 'OPTIONS') return this.#finish(exchange, answerPreflight(request, ALL_METHODS))
    return this.#finish(exchange, renderError(unknownPath(exchange.path), exchange.requestId))
  }

  /** For a failure outside of any endpoint: there is no exchange, so the id names only this log line. */
  answerFailure(failure: unknown): Response {
    const requestId = makeRequestId()
    this.#options.log.trouble('the server failed', failure, requestId)
    const error = asGatewayError(failure).withHeaders({ 'x-request-id': requestId, 'request-id': requestId })
    return renderError(error, requestId)
  }

  lookAtWaiting(): void {
    for (const exchange of this.#waiting) exchange.look()
  }

  interruptAll(error: GatewayError): void {
    for (const exchange of this.#waiting) exchange.interrupt(error)
  }

  #methods(endpoints: readonly Endpoint[]): Record<string, Handler> {
    const allowed = allowedMethods(endpoints)
    const options = this.#exchangeOptions(endpoints[0]?.path ?? null)
    const handlers: Record<string, Handler> = {}
    for (const method of ALL_METHODS) {
      handlers[method] = async (request, server) => {
        const exchange = new BunExchange(request, server, options)
        const response = renderError(wrongMethod(method, allowed), exchange.requestId)
        return this.#finish(exchange, response)
      }
    }
    handlers.OPTIONS = async (request, server) =>
      this.#finish(new BunExchange(request, server, options), answerPreflight(request, allowed))
    for (const endpoint of endpoints) {
      const handler: Handler = (request, server) =>
        this.#serve(new BunExchange(request, server, options), endpoint)
      handlers[endpoint.method] = handler
      // Bun sends only the head of the answer to a HEAD request.
      if (endpoint.method === 'GET') handlers.HEAD = handler
    }
    return handlers
  }

  #exchangeOptions(path: string | null): ExchangeOptions {
    const { bodyLimits, readForm, idleSeconds, clock } = this.#options
    return {
      bodyLimits,
      readForm,
      idleSeconds,
      clock,
      wildcardPrefix: path === null ? null : wildcardPrefix(path),
      fixedPath: path === null || VARYING_PATH.test(path) ? null : path,
    }
  }

  /** Never fails: whatever goes wrong becomes an answer. */
  async #serve(exchange: BunExchange, endpoint: Endpoint): Promise<Response> {
    this.#waiting.add(exchange)
    let answer: Response | Reply
    try {
      if (this.isClosing && !endpoint.isServedWhileClosing) throw shuttingDown()
      answer = await endpoint.handle(exchange)
    } catch (thrown) {
      answer = this.#refuse(thrown, exchange, endpoint)
    }
    this.#waiting.delete(exchange)
    if (isStream(answer)) exchange.prepareToLast()
    else exchange.announceEnd()
    return this.#finish(exchange, answer)
  }

  #refuse(thrown: unknown, exchange: BunExchange, endpoint: Endpoint): Response {
    const error = exchange.interruption ?? asGatewayError(thrown)
    if (error.code === 'internal_error' && !exchange.hasClientLeft) {
      this.#options.log.trouble('a request failed inside', error.cause ?? error, exchange.requestId)
    }
    return renderError(error, exchange.requestId, endpoint.dressError)
  }

  #finish(exchange: BunExchange, answer: Response | Reply): Response {
    const { requestId } = exchange
    this.#options.log.request({
      requestId,
      method: exchange.method,
      path: exchange.path,
      status: answer.status,
      durationMs: this.#options.clock.nowMs() - exchange.startedAtMs,
    })
    if (!(answer instanceof Response)) {
      this.#addHeaders(exchange, answer.headers)
      return new Response(answer.body, answer)
    }
    const added: Record<string, string> = {}
    this.#addHeaders(exchange, added)
    for (const name in added) answer.headers.set(name, added[name] ?? '')
    return answer
  }

  /** What every answer carries, whatever it is. */
  #addHeaders(exchange: BunExchange, headers: Record<string, string>): void {
    headers['x-request-id'] = exchange.requestId
    headers['request-id'] = exchange.requestId
    if (this.isLeaving) headers.connection = 'close'
    allowBrowsers(exchange, headers)
  }
}

function isStream(answer: Response | Reply): boolean {
  if (!(answer instanceof Response)) return typeof answer.body !== 'string'
  return answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

const VARYING_PATH = /[:*]/

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

function allowedMethods(endpoints: readonly Endpoint[]): string[] {
  const methods: (HttpMethod | 'HEAD' | 'OPTIONS')[] = endpoints.map((endpoint) => endpoint.method)
  if (methods.includes('GET')) methods.push('HEAD')
  return [...methods, 'OPTIONS']
}

/** `/v1/models/*` → `/v1/models/`; null when the path names all its parts. */
function wildcardPrefix(path: string): string | null {
  return path.endsWith('*') ? path.slice(0, -1) : null
}

function shuttingDown(): GatewayError {
  return new GatewayError('shutting_down', 'This gateway is shutting down; try again.', {
    headers: { connection: 'close', 'retry-after': '1' },
  })
}
