import { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError, type EnvelopeDress, renderError } from '../../errors/render-error.ts'
import type { Endpoint, HttpMethod } from '../../gateway/ports/exchange.ts'
import type { Log } from '../../gateway/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { BunExchange } from './bun-exchange.ts'
import { allowBrowsers, answerPreflight } from './cors.ts'
import type { BodyLimits } from './read-body.ts'
import { unknownPath, wrongMethod } from './unknown-path.ts'

export interface ServerOptions {
  readonly hostname: string
  readonly port: number
  readonly endpoints: readonly Endpoint[]
  readonly bodyLimits: BodyLimits
  readonly clock: Clock
  readonly log: Log
}

export interface HttpServer {
  readonly port: number
  readonly url: string
  /** Requests whose answer has not begun yet. */
  readonly pending: number
  /** No new connections; requests on open ones are refused. */
  stopAccepting(): void
  /** Closes every connection. */
  close(): Promise<void>
}

type Handler = (request: Bun.BunRequest, server: Bun.Server<undefined>) => Promise<Response>

// A connection that says nothing for this long is closed; while a request is being worked on it does not count.
const IDLE_SECONDS = 60

export function startServer(options: ServerOptions): HttpServer {
  const desk = new RequestDesk(options)
  const server = Bun.serve({
    hostname: options.hostname,
    port: options.port,
    idleTimeout: IDLE_SECONDS,
    // Bodies are measured by readText, which can answer in the envelope; the server's own refusal cannot.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    routes: desk.routes(),
    fetch: (request) => desk.refuse(request, (path) => unknownPath(path)),
    error: (error) => renderError(asGatewayError(error), 'unknown'),
  })
  return {
    port: server.port ?? options.port,
    url: `http://${options.hostname}:${server.port}`,
    get pending() {
      return desk.pending
    },
    stopAccepting: () => {
      desk.isClosing = true
      // The promise resolves when every connection has ended, which `close` sees to.
      void server.stop(false)
    },
    close: () => server.stop(true),
  }
}

/** Where requests arrive: gives each its exchange, its endpoint, and whatever happens an answer with its id. */
class RequestDesk {
  readonly #options: ServerOptions
  isClosing = false
  pending = 0

  constructor(options: ServerOptions) {
    this.#options = options
  }

  routes(): Record<string, Record<string, Handler>> {
    const routes: Record<string, Record<string, Handler>> = {}
    for (const [path, endpoints] of Map.groupBy(this.#options.endpoints, (endpoint) => endpoint.path)) {
      routes[path] = this.#methods(endpoints)
    }
    return routes
  }

  /** Answers a request that no endpoint is there for. */
  async refuse(request: Request, reason: (path: string) => GatewayError): Promise<Response> {
    const exchange = new BunExchange(request, this.#options.bodyLimits)
    const response =
      request.method === 'OPTIONS'
        ? answerPreflight(request, ALL_METHODS)
        : renderError(reason(exchange.path), exchange.requestId)
    return this.#finish(request, exchange, { response, startedAtMs: this.#options.clock.nowMs() })
  }

  #methods(endpoints: readonly Endpoint[]): Record<string, Handler> {
    const allowed = allowedMethods(endpoints)
    const handlers: Record<string, Handler> = {}
    for (const method of ALL_METHODS) {
      handlers[method] = (request) => this.refuse(request, () => wrongMethod(method, allowed))
    }
    handlers.OPTIONS = (request) => Promise.resolve(answerPreflight(request, allowed))
    for (const endpoint of endpoints) {
      const handler: Handler = (request, server) => this.#serve(request, server, endpoint)
      handlers[endpoint.method] = handler
      // Bun sends only the head of the answer to a HEAD request.
      if (endpoint.method === 'GET') handlers.HEAD = handler
    }
    return handlers
  }

  async #serve(
    request: Bun.BunRequest,
    server: Bun.Server<undefined>,
    endpoint: Endpoint,
  ): Promise<Response> {
    const startedAtMs = this.#options.clock.nowMs()
    const exchange = new BunExchange(request, this.#options.bodyLimits, wildcardPrefix(endpoint.path))
    // A supplier may think for minutes; its own time-outs bound the wait.
    server.timeout(request, 0)
    this.pending += 1
    try {
      if (this.isClosing) throw shuttingDown()
      const response = await endpoint.handle(exchange)
      return this.#finish(request, exchange, { response, startedAtMs })
    } catch (thrown) {
      const response = this.#renderThrown(thrown, exchange, endpoint.dressError)
      return this.#finish(request, exchange, { response, startedAtMs })
    } finally {
      this.pending -= 1
    }
  }

  #renderThrown(thrown: unknown, exchange: BunExchange, dress: EnvelopeDress | undefined): Response {
    const error = asGatewayError(thrown)
    if (error.code === 'internal_error') {
      this.#options.log.trouble('a request failed inside', error.cause ?? error, exchange.requestId)
    }
    return renderError(error, exchange.requestId, dress)
  }

  #finish(
    request: Request,
    exchange: BunExchange,
    { response, startedAtMs }: { response: Response; startedAtMs: number },
  ): Response {
    response.headers.set('x-request-id', exchange.requestId)
    response.headers.set('request-id', exchange.requestId)
    allowBrowsers(request, response)
    this.#options.log.request({
      requestId: exchange.requestId,
      method: exchange.method,
      path: exchange.path,
      status: response.status,
      durationMs: this.#options.clock.nowMs() - startedAtMs,
    })
    return response
  }
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
