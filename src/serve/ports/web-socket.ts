import type { GatewayError } from '../../errors/gateway-error.ts'
import type { RequestFindings } from './log.ts'

/** Close codes of RFC 6455 and its registry. */
export const CLOSE_CODES = {
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
  tryAgainLater: 1013,
} as const

/** A request that came as a message. */
export interface MessageRequest extends RequestFindings {
  readonly requestId: string
  readonly startedAtMs: number
}

/** The gateway's side of a WebSocket. */
export interface WebSocketChannel {
  /** Sends all of a text message, however far the client is behind. Nothing is sent after `close`. */
  send(text: string): void
  /** Whether the client has yet to take what was sent. */
  readonly isBehind: boolean
  readonly behindBytes: number
  /** Resolves when the client has caught up, or is gone. */
  caughtUp(): Promise<void>
  /** Whether the gateway shuts down and no new work may begin. */
  readonly isClosing: boolean
  /** A busy connection is not closed to make room for another, and a shutdown waits for it. */
  setBusy(isBusy: boolean): void
  close(code: number, reason: string): void
  /** The id of a request that came as a message. */
  newRequestId(): string
  /** Logs, counts and traces such a request. */
  noteRequest(request: MessageRequest, status: number): void
  /** Counts bytes against the memory for bodies until the returned function is called. Throws when there is no room. */
  hold(bytes: number): () => void
}

/** What an endpoint does with a WebSocket. */
export interface WebSocketSession {
  /** A whole text message. `release` frees its share of the memory for bodies. */
  receive(text: string, release: () => void): void
  /** Ends work whose answer has not begun with this error. */
  interrupt(error: GatewayError): void
  /** The client is gone. */
  end(): void
}

export type OpenWebSocket = (channel: WebSocketChannel) => WebSocketSession
