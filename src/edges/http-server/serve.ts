import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Log } from '../../gateway/ports/log.ts'
import type { ReadForm } from '../../gateway/ports/uploads.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { BodyLimits } from './read-body.ts'
import { RequestDesk } from './request-desk.ts'

export interface ServerOptions {
  readonly hostname: string
  readonly port: number
  readonly endpoints: readonly Endpoint[]
  readonly bodyLimits: BodyLimits
  readonly readForm?: ReadForm
  /** How long a connection may be idle between requests. */
  readonly idleSeconds?: number
  /** Whether other processes of this gateway listen on the same port, each for a part of the connections. */
  readonly sharesPort?: boolean
  readonly clock: Clock
  readonly log: Log
}

export interface HttpServer {
  readonly port: number
  readonly url: string
  /** Requests whose answer has not left completely. */
  readonly pending: number
  /** Every answer from here on ends its connection, so that clients that keep theirs move on. */
  endConnections(): void
  /** New connections go to the other processes on this port; what is asked on old ones is still served. */
  stopListening(): void
  /** New requests are refused from here on, in words: whoever asks for the state of this gateway is still told. */
  stopAccepting(): void
  /** Answers every request that still waits for its answer to begin with a refusal. */
  endWaiting(): void
  /** Closes every connection. */
  close(): Promise<void>
}

/**
 * How long a connection may take, phase by phase:
 * - the request's head: ten to twelve seconds, fixed by Bun, however slowly its bytes drip in;
 * - its body: `bodyLimits.timeoutMs`, or the idle time-out when nobody asked for it;
 * - the answer: the time-outs of the gateway towards supplier and client. Bun's own are off meanwhile, since they
 *   count what is received only and would cut a stream in the middle;
 * - between requests: this idle time-out, which Bun keeps in steps of four seconds.
 */
const IDLE_SECONDS = 60
// How long a request may take before it is prepared for lasting, and so how late a client's going is heard of at most.
const QUICK_MS = 40

export function startServer(options: ServerOptions): HttpServer {
  const { idleSeconds = IDLE_SECONDS } = options
  const desk = new RequestDesk({ ...options, idleSeconds })
  const server = Bun.serve({
    hostname: options.hostname,
    port: options.port,
    idleTimeout: idleSeconds,
    // Bodies are measured by readText, which can answer in the envelope; the server's own refusal cannot.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Bun's own choice outside of development would share it with any other gateway, and requests would go to either.
    reusePort: options.sharesPort ?? false,
    routes: desk.routes(),
    fetch: (request, bun) => desk.refuseUnknownPath(request, bun),
    error: (error) => desk.answerFailure(error),
  })
  const look = setInterval(() => desk.lookAtWaiting(), QUICK_MS)
  return {
    port: server.port ?? options.port,
    url: `http://${hostInUrl(options.hostname)}:${server.port}`,
    get pending() {
      return server.pendingRequests
    },
    endConnections: () => {
      desk.isLeaving = true
    },
    stopListening: () => void server.stop(false),
    stopAccepting: () => {
      desk.isClosing = true
    },
    endWaiting: () => desk.interruptAll(new GatewayError('shutting_down', 'This gateway is shutting down.')),
    close: () => {
      clearInterval(look)
      return server.stop(true)
    },
  }
}

function hostInUrl(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname
}
