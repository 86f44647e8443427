import { GatewayError } from '../../errors/gateway-error.ts'
import { renderError } from '../../errors/render-error.ts'
import type { ConnectionGauges } from '../../serve/ports/connection-gauges.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { ReadForm } from '../../serve/ports/uploads.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import type { TrustedProxies } from '../../wire/trusted-proxies.ts'
import { headLines } from './answer-sender.ts'
import { BodyBudget } from './body-budget.ts'
import { ClientConnection } from './client-connection.ts'
import type { ConnectionHost, ServedConnection } from './connection-host.ts'
import { DescriptorGuard } from './descriptors.ts'
import { Dispatcher, type ServerOptions } from './dispatcher.ts'
import type { BodyLimits } from './incoming-body.ts'
import {
  type ConnectionRefusal,
  type ConnectionState,
  NO_LIMITS,
  OpenConnections,
} from './open-connections.ts'
import { RequestIds } from './socket-exchange.ts'

export interface HttpServer {
  readonly port: number
  readonly url: string
  /** Requests whose answer has not been sent completely. */
  readonly pending: number
  readonly connectionGauges: ConnectionGauges
  /** Closes each connection after its next answer, so that clients reconnect elsewhere. */
  endConnections(): void
  /** Accepts no new connections; other processes on this port take them. Open connections are still served. */
  stopListening(): void
  /** Refuses new requests with 503, except at endpoints that are served while closing, such as health. */
  stopAccepting(): void
  /** Answers every request whose answer has not begun with an error. */
  endWaiting(): void
  /** Closes every connection. */
  close(): Promise<void>
}

/**
 * How long a connection may take, phase by phase:
 * - the request's head: `headSeconds`, however slowly its bytes drip in;
 * - its body: `bodyLimits.timeoutMs`, or the idle timeout between two pieces of a streamed body;
 * - the answer: the gateway's supplier and client timeouts; the client must read a complete answer within the idle
 *   timeout;
 * - between requests: the idle timeout;
 * - a WebSocket: the idle timeout, where an answer to a ping counts as activity.
 */
const IDLE_SECONDS = 60
const HEAD_SECONDS = 10
// Timeouts are noticed at most this late.
const CHECK_INTERVAL_MS = 100
// Without connections, only file descriptors are looked after.
const IDLE_CHECK_INTERVAL_MS = 1_000
// A longer step of the clock means that the process was held up.
const MAX_STEP_MS = 5 * CHECK_INTERVAL_MS
// All connections in one of these lists have the same timeout, so the first in the list expires first.
const TIMED_STATES: readonly ConnectionState[] = ['new', 'idle', 'web-socket', 'begun', 'clearing', 'closing']
const LOG_INTERVAL_MS = 60_000

const UNLIMITED = { maxBytes: Number.POSITIVE_INFINITY, maxBytesPerAccount: Number.POSITIVE_INFINITY }

export function startServer(options: ServerOptions): HttpServer {
  return new SocketServer(options)
}

/** All connections of one port. */
class SocketServer implements HttpServer, ConnectionHost {
  readonly port: number
  readonly url: string
  readonly clock: Clock
  readonly bodyLimits: BodyLimits
  readonly bodyBudget: BodyBudget
  readonly readForm: ReadForm | undefined
  readonly proxies: TrustedProxies | undefined
  readonly headMs: number
  readonly idleMs: number
  isDraining = false
  webSockets = 0
  /** For timeouts. Stands still while the process is held up. */
  roughlyNowMs = performance.now()
  #readAtMs = this.roughlyNowMs
  dateLine = ''
  readonly writer = new MessageWriter()
  readonly requestIds = new RequestIds()
  readonly dispatcher: Dispatcher
  readonly #log: Log
  readonly #listener: Bun.TCPSocketListener<ClientConnection>
  readonly connections: OpenConnections<ServedConnection>
  readonly #descriptors: Pick<DescriptorGuard, 'check' | 'close'>
  #descriptorShortages = 0
  /** When each kind of problem was last logged: many connections must not cause many log lines. */
  readonly #loggedAtMs = new Map<string, number>()
  #checkTimer: Timer
  #hasConnections = false

  constructor(options: ServerOptions) {
    const { hostname, clock, bodyLimits, readForm, log } = options
    this.clock = clock
    this.bodyLimits = bodyLimits
    this.proxies = options.proxies
    this.bodyBudget = options.bodyBudget ?? new BodyBudget(UNLIMITED)
    this.readForm = readForm
    this.headMs = (options.headSeconds ?? HEAD_SECONDS) * 1_000
    this.idleMs = (options.idleSeconds ?? IDLE_SECONDS) * 1_000
    this.#log = log
    this.dispatcher = new Dispatcher(options)
    this.connections = new OpenConnections(options.connectionLimits ?? NO_LIMITS)
    this.#descriptors = options.descriptorGuard ?? new DescriptorGuard()
    this.#readClock()
    this.#listener = this.#listen(options)
    this.port = this.#listener.port
    this.url = `http://${hostInUrl(hostname)}:${this.port}`
    this.#checkTimer = this.#checkEvery(IDLE_CHECK_INTERVAL_MS)
  }

  #checkEvery(intervalMs: number): Timer {
    return setInterval(() => this.#check(), intervalMs)
  }

  /** An idle process that wakes up ten times a second would keep its machine awake too. */
  #setPace(hasConnections: boolean): void {
    if (hasConnections === this.#hasConnections) return
    this.#hasConnections = hasConnections
    clearInterval(this.#checkTimer)
    this.#checkTimer = this.#checkEvery(hasConnections ? CHECK_INTERVAL_MS : IDLE_CHECK_INTERVAL_MS)
    this.#readClock()
  }

  get pending(): number {
    let count = 0
    this.connections.forEach('busy', () => {
      count += 1
    })
    return count
  }

  get connectionGauges(): ConnectionGauges {
    const { size, ceiling, counts } = this.connections
    return {
      open: size,
      max: ceiling,
      webSockets: this.webSockets,
      ...counts,
      descriptorShortages: this.#descriptorShortages,
    }
  }

  endConnections(): void {
    this.isDraining = true
    this.#drainWebSockets()
  }

  stopListening(): void {
    this.#listener.stop(false)
  }

  stopAccepting(): void {
    this.dispatcher.isClosing = true
    this.#drainWebSockets()
  }

  #drainWebSockets(): void {
    this.connections.forEach('web-socket', (connection) => connection.webSocket?.drain())
  }

  endWaiting(): void {
    const error = new GatewayError('shutting_down', 'This gateway is shutting down.')
    this.connections.forEach('busy', ({ waiting, webSocket }) => {
      waiting?.interrupt(error)
      webSocket?.interrupt(error)
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#checkTimer)
    this.#listener.stop(true)
    this.#descriptors.close()
    this.connections.forEach('web-socket', (connection) => connection.dismiss())
    this.connections.forAll((connection) => connection.terminate())
  }

  #listen({ hostname, port, sharesPort = false }: ServerOptions): Bun.TCPSocketListener<ClientConnection> {
    const reusing: object = { reusePort: sharesPort }
    return Bun.listen<ClientConnection>({
      hostname,
      port,
      ...reusing,
      socket: {
        binaryType: 'buffer',
        open: (socket) => this.#open(socket),
        // A refused connection has no data.
        data: (socket, bytes) => socket.data?.receive(bytes),
        drain: (socket) => socket.data?.resumeSending(),
        close: (socket) => socket.data?.onClose(),
        error: (socket, error) => {
          this.#log.trouble('a connection failed', error)
          socket.data?.terminate()
        },
      },
    })
  }

  #open(socket: Bun.Socket<ClientConnection>): void {
    this.#setPace(true)
    const refusal = this.connections.makeRoom(socket.remoteAddress ?? '')
    if (refusal === null) socket.data = new ClientConnection(socket, this)
    else this.#refuse(socket, refusal)
  }

  /** Answers before the request arrives, so that a refused connection takes no memory. */
  #refuse(socket: Bun.Socket<ClientConnection>, refusal: ConnectionRefusal): void {
    socket.end(overloadAnswer(this.requestIds.next(this.clock.nowMs()), this.dateLine))
    const { open, max } = this.connectionGauges
    this.#logSometimes('connections are refused', { limit: refusal, open, max })
  }

  /** Time in which this process did not run is no client's fault: what it has sent may still be unread. */
  #readClock(): void {
    const nowMs = performance.now()
    this.roughlyNowMs += Math.min(nowMs - this.#readAtMs, MAX_STEP_MS)
    this.#readAtMs = nowMs
    this.dateLine = `date: ${new Date().toUTCString()}\r\n`
  }

  #check(): void {
    this.#readClock()
    this.connections.forEach('busy', (connection) => connection.checkTimeout(this.roughlyNowMs))
    for (const state of TIMED_STATES) this.#endOverdue(state)
    this.#checkDescriptors()
    this.#setPace(this.connections.size > 0)
  }

  #endOverdue(state: ConnectionState): void {
    for (let first = this.connections.first(state); first !== null; ) {
      first.checkTimeout(this.roughlyNowMs)
      const next = this.connections.first(state)
      if (next === first) return
      first = next
    }
  }

  #checkDescriptors(): void {
    if (this.#descriptors.check()) {
      this.connections.relax()
      return
    }
    this.#descriptorShortages += 1
    this.connections.squeeze()
    const { open, max } = this.connectionGauges
    this.#logSometimes('no file descriptor is left; idle connections are closed', { open, max })
  }

  #logSometimes(what: string, facts: Readonly<Record<string, string | number>>): void {
    const lastMs = this.#loggedAtMs.get(what) ?? Number.NEGATIVE_INFINITY
    if (this.roughlyNowMs - lastMs < LOG_INTERVAL_MS) return
    this.#loggedAtMs.set(what, this.roughlyNowMs)
    this.#log.notice(what, facts)
  }
}

function overloadAnswer(requestId: string, dateLine: string): string {
  const error = new GatewayError(
    'temporarily_unavailable',
    'This gateway has reached its connection limit. Try again shortly.',
    { headers: { 'retry-after': '1' } },
  )
  const { status, headers, body } = renderError(error, requestId)
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`
  const ids = `x-request-id: ${requestId}\r\nrequest-id: ${requestId}\r\n`
  return `${headLines(status, headers)}${dateLine}connection: close\r\n${ids}${length}\r\n${body}`
}

function hostInUrl(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname
}
