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
  /** Those of them that have only just come. */
  readonly #quick = new Set<BunExchange>()
  isClosing = false

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
    if (request.method === 'OPTIONS')
      return this.#finish(request, exchange, answerPreflight(request, ALL_METHODS))
    return this.#finish(request, exchange, renderError(unknownPath(exchange.path), exchange.requestId))
  }

  /** For a failure outside of any endpoint: there is no exchange, so the id names only this log line. */
  answerFailure(failure: unknown): Response {
    const requestId = makeRequestId()
    this.#options.log.trouble('the server failed', failure, requestId)
    const error = asGatewayError(failure).withHeaders({ 'x-request-id': requestId, 'request-id': requestId })
    return renderError(error, requestId)
  }

  /** Called every few milliseconds: a request that is still waiting then may wait for long. */
  lookAtQuick(): void {
    for (const exchange of this.#quick) exchange.prepareToLast()
    this.#quick.clear()
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
        return this.#finish(request, exchange, response)
      }
    }
    handlers.OPTIONS = async (request, server) =>
      this.#finish(request, new BunExchange(request, server, options), answerPreflight(request, allowed))
    for (const endpoint of endpoints) {
      const handler: Handler = (request, server) =>
        this.#serve(request, new BunExchange(request, server, options), endpoint)
      handlers[endpoint.method] = handler
      // Bun sends only the head of the answer to a HEAD request.
      if (endpoint.method === 'GET') handlers.HEAD = handler
    }
    return handlers
  }

  #exchangeOptions(path: string | null): ExchangeOptions {
    const { bodyLimits, idleSeconds, clock } = this.#options
    return { bodyLimits, idleSeconds, clock, wildcardPrefix: path === null ? null : wildcardPrefix(path) }
  }

  async #serve(request: Request, exchange: BunExchange, endpoint: Endpoint): Promise<Response> {
    this.#waiting.add(exchange)
    this.#quick.add(exchange)
    const answer = await this.#answer(exchange, endpoint)
    this.#waiting.delete(exchange)
    this.#quick.delete(exchange)
    if (isStream(answer)) exchange.prepareToLast()
    else exchange.announceEnd()
    return this.#finish(request, exchange, answer)
  }

  /** Never fails: whatever goes wrong becomes an answer. */
  async #answer(exchange: BunExchange, endpoint: Endpoint): Promise<Response | Reply> {
    try {
      if (this.isClosing && !endpoint.isServedWhileClosing) throw shuttingDown()
      return await endpoint.handle(exchange)
    } catch (thrown) {
      const error = exchange.interruption ?? asGatewayError(thrown)
      if (error.code === 'internal_error' && !exchange.hasClientLeft) {
        this.#options.log.trouble('a request failed inside', error.cause ?? error, exchange.requestId)
      }
      return renderError(error, exchange.requestId, endpoint.dressError)
    }
  }

  #finish(request: Request, exchange: BunExchange, answer: Response | Reply): Response {
    const { requestId } = exchange
    this.#options.log.request({
      requestId,
      method: exchange.method,
      path: exchange.path,
      status: answer.status,
      durationMs: this.#options.clock.nowMs() - exchange.startedAtMs,
    })
    if (!(answer instanceof Response)) {
      addHeaders(request, requestId, answer.headers)
      return new Response(answer.body, answer)
    }
    const added: Record<string, string> = {}
    addHeaders(request, requestId, added)
    for (const name in added) answer.headers.set(name, added[name] ?? '')
    return answer
  }
}

function isStream(answer: Response | Reply): boolean {
  if (!(answer instanceof Response)) return typeof answer.body !== 'string'
  return answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

/** What every answer carries, whatever it is. */
function addHeaders(request: Request, requestId: string, headers: Record<string, string>): void {
  headers['x-request-id'] = requestId
  headers['request-id'] = requestId
  allowBrowsers(request, headers)
}

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
