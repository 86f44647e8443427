import { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError, renderError } from '../../errors/render-error.ts'
import type { Endpoint, Reply } from '../../serve/ports/exchange.ts'
import type { AnswerParts } from './answer-sender.ts'
import type { ClientConnection } from './client-connection.ts'
import { answerPreflight } from './cors.ts'
import { type Found, Resources } from './resources.ts'
import type { ServerOptions } from './serve.ts'
import type { SocketExchange } from './socket-exchange.ts'
import { unknownPath, wrongMethod } from './unknown-path.ts'

type DispatcherOptions = Pick<ServerOptions, 'endpoints' | 'clock' | 'log'>

/** Where requests arrive: finds the endpoint of each, and whatever happens gives it an answer with its id. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #resources: Resources
  isClosing = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#resources = new Resources(options.endpoints)
  }

  /** Never fails: whatever goes wrong becomes an answer. All in one step, since every further one would cost a promise. */
  async serve(exchange: SocketExchange, connection: ClientConnection): Promise<void> {
    const found = this.#resources.find(exchange.path)
    const endpoint = found?.resource.endpoints.get(exchange.method)
    if (endpoint === undefined) {
      this.#send(answerNobody(exchange, found), exchange, connection)
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

  /** The answer to what is no request. */
  refuse(error: GatewayError, requestId: string): AnswerParts {
    const answer = renderError(error, requestId)
    // The same code as for a body that is too large, but a status that says which of the two it was.
    const status = error.code === 'request_too_large' ? 431 : answer.status
    this.#options.log.request({ requestId, method: '', path: '', status, durationMs: 0 })
    return { ...answer, status }
  }

  #refuse(thrown: unknown, exchange: SocketExchange, endpoint: Endpoint): Reply {
    const error = exchange.interruption ?? asGatewayError(thrown)
    if (error.code === 'internal_error' && !exchange.hasClientLeft) {
      this.#options.log.trouble('a request failed inside', error.cause ?? error, exchange.requestId)
    }
    return renderError(error, exchange.requestId, endpoint.dressError)
  }

  #log({ requestId, method, path, startedAtMs }: SocketExchange, status: number): void {
    const durationMs = this.#options.clock.nowMs() - startedAtMs
    this.#options.log.request({ requestId, method, path, status, durationMs })
  }

  #send(parts: AnswerParts, exchange: SocketExchange, connection: ClientConnection): void {
    this.#log(exchange, parts.status)
    try {
      connection.answer(parts, exchange)
    } catch (error) {
      // Nothing of it was: what cannot be sent is found before.
      this.#options.log.trouble('an answer could not be sent', error, exchange.requestId)
      connection.answer(renderError(asGatewayError(error), exchange.requestId), exchange)
    }
  }
}

function answerNobody(exchange: SocketExchange, found: Found | null): Reply {
  const { method, path, requestId } = exchange
  const allowed = found?.resource.allowed ?? ALL_METHODS
  if (method === 'OPTIONS') return answerPreflight(exchange, allowed)
  return renderError(found === null ? unknownPath(path) : wrongMethod(method, allowed), requestId)
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
