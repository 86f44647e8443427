import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Log } from '../../gateway/ports/log.ts'
import type { ReadForm } from '../../gateway/ports/uploads.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import type { AnswerParts } from './answer-sender.ts'
import { ClientConnection, type ConnectionHost } from './client-connection.ts'
import type { BodyLimits } from './read-body.ts'
import { RequestDesk } from './request-desk.ts'
import { RequestIds } from './request-ids.ts'
import type { SocketExchange } from './socket-exchange.ts'

export interface ServerOptions {
  readonly hostname: string
  readonly port: number
  readonly endpoints: readonly Endpoint[]
  readonly bodyLimits: BodyLimits
  readonly readForm?: ReadForm
  /** How long a connection may be idle between requests. */
  readonly idleSeconds?: number
  /** How long a client may take to send the head of a request. */
  readonly headSeconds?: number
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
 * - the request's head: `headSeconds`, however slowly its bytes drip in;
 * - its body: `bodyLimits.timeoutMs`, or the idle time-out between two pieces of one that nobody gathers;
 * - the answer: the time-outs of the gateway towards supplier and client; what was said whole must be taken within the
 *   idle time-out;
 * - between requests: the idle time-out.
 */
const IDLE_SECONDS = 60
const HEAD_SECONDS = 10
// How late the end of one of these times is noticed at most.
const LOOK_EVERY_MS = 100

export function startServer(options: ServerOptions): HttpServer {
  return new SocketServer(options)
}

/** All connections of one port. */
class SocketServer implements HttpServer, ConnectionHost {
  readonly port: number
  readonly url: string
  readonly clock: Clock
  readonly bodyLimits: BodyLimits
  readonly readForm: ReadForm | undefined
  readonly headMs: number
  readonly idleMs: number
  isLeaving = false
  roughlyNowMs = performance.now()
  dateLine = ''
  readonly writer = new MessageWriter()
  readonly requestIds = new RequestIds()
  readonly #desk: RequestDesk
  readonly #log: Log
  readonly #listener: Bun.TCPSocketListener<ClientConnection>
  readonly #connections = new Set<ClientConnection>()
  readonly #lookTimer: Timer

  constructor(options: ServerOptions) {
    const { hostname, clock, bodyLimits, readForm, log } = options
    this.clock = clock
    this.bodyLimits = bodyLimits
    this.readForm = readForm
    this.headMs = (options.headSeconds ?? HEAD_SECONDS) * 1_000
    this.idleMs = (options.idleSeconds ?? IDLE_SECONDS) * 1_000
    this.#log = log
    this.#desk = new RequestDesk(options)
    this.#look()
    this.#listener = this.#listen(options)
    this.port = this.#listener.port
    this.url = `http://${hostInUrl(hostname)}:${this.port}`
    this.#lookTimer = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  get pending(): number {
    let count = 0
    for (const connection of this.#connections) if (connection.isBusy) count += 1
    return count
  }

  serve(exchange: SocketExchange, connection: ClientConnection): void {
    void this.#desk.serve(exchange, connection)
  }

  refuse(error: GatewayError, requestId: string): AnswerParts {
    return this.#desk.refuse(error, requestId)
  }

  endConnections(): void {
    this.isLeaving = true
  }

  stopListening(): void {
    this.#listener.stop(false)
  }

  stopAccepting(): void {
    this.#desk.isClosing = true
  }

  endWaiting(): void {
    const error = new GatewayError('shutting_down', 'This gateway is shutting down.')
    for (const connection of this.#connections) connection.waiting?.interrupt(error)
  }

  async close(): Promise<void> {
    clearInterval(this.#lookTimer)
    this.#listener.stop(true)
    for (const connection of this.#connections) connection.cut()
  }

  #listen({ hostname, port, sharesPort = false }: ServerOptions): Bun.TCPSocketListener<ClientConnection> {
    const reusing: object = { reusePort: sharesPort }
    return Bun.listen<ClientConnection>({
      hostname,
      port,
      ...reusing,
      socket: {
        binaryType: 'buffer',
        open: (socket) => {
          socket.data = new ClientConnection(socket, this)
          this.#connections.add(socket.data)
        },
        data: (socket, bytes) => socket.data.receive(bytes),
        drain: (socket) => socket.data.goOnSending(),
        close: (socket) => {
          this.#connections.delete(socket.data)
          socket.data.lose()
        },
        error: (socket, error) => {
          this.#log.trouble('a connection failed', error)
          socket.data.cut()
        },
      },
    })
  }

  #look(): void {
    this.roughlyNowMs = performance.now()
    this.dateLine = `date: ${new Date().toUTCString()}\r\n`
    for (const connection of this.#connections) connection.look(this.roughlyNowMs)
  }
}

function hostInUrl(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname
}
