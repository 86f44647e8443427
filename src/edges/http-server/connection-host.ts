import type { WebSocketSession } from '../../serve/ports/web-socket.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { MessageWriter } from '../../wire/message-writer.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { ManagedConnection, OpenConnections } from './open-connections.ts'
import type { ExchangeOptions, RequestIds, SocketExchange } from './socket-exchange.ts'

/** A connection as its server sees it. */
export interface ServedConnection extends ManagedConnection {
  /** Ends the connection when its phase has timed out. */
  checkTimeout(nowMs: number): void
  /** The request whose answer has not begun, if any. */
  readonly waiting: Pick<SocketExchange, 'interrupt'> | null
  /** Set after the upgrade. */
  readonly webSocket: (Pick<WebSocketSession, 'interrupt'> & DrainingWebSocket) | null
  /** Terminates the connection at once. */
  terminate(): void
}

interface DrainingWebSocket {
  /** Closes the connection as soon as it is not busy. */
  drain(): void
}

/** What all connections of a server share. */
export interface ConnectionHost extends ExchangeOptions {
  readonly clock: Clock
  readonly headMs: number
  readonly idleMs: number
  /** Whether clients should reconnect elsewhere. */
  readonly isDraining: boolean
  /** The time of the last check, precise enough for timeouts of seconds and cheaper than reading the clock. */
  readonly roughlyNowMs: number
  readonly dateLine: string
  readonly writer: MessageWriter
  readonly requestIds: RequestIds
  /** How many connections are WebSockets. */
  webSockets: number
  readonly connections: OpenConnections<ServedConnection>
  readonly dispatcher: Pick<Dispatcher, 'serve' | 'refuse' | 'note' | 'report' | 'isClosing'>
}
