import { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError } from '../../errors/render-error.ts'
import { responses } from '../../protocols/responses/index.ts'
import {
  type ClientMessage,
  type CreateMessage,
  encodeError,
  ResponseMessages,
  readMessage,
} from '../../protocols/responses/socket.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import { authenticate } from '../admission/authenticate.ts'
import { refuseFlood, withLimits } from '../admission/own-limits.ts'
import { TextFamily } from '../families/text/text-family.ts'
import type { Gateway } from '../gateway.ts'
import { findingsOf, InternalExchange } from '../internal-exchange.ts'
import { noteRefusal } from '../note-refusal.ts'
import type { Reply } from '../ports/exchange.ts'
import { loggedError } from '../ports/log.ts'
import { CLOSE_CODES, type WebSocketChannel, type WebSocketSession } from '../ports/web-socket.ts'
import { serveRequest } from '../serve-request.ts'
import { ConnectionReplies } from '../state/connection-replies.ts'
import { EventSink } from './event-sink.ts'
import { warmUp } from './warm-up.ts'

/** What all requests of a connection have in common. */
export interface SessionOrigin {
  readonly path: string
  readonly headers: HeaderFields
  readonly address: string | null
}

type Refused = Extract<ClientMessage, { type: 'refused' }>

/** A message that waits for its turn. */
interface WaitingMessage {
  readonly message: CreateMessage | Refused
  /** The body of its request; of a refused message, all of it, because refusals are counted by their size. */
  readonly text: string
  readonly release: () => void
}

interface RunningRequest {
  readonly exchange: InternalExchange
  hasBegun: boolean
}

const FAMILY = new TextFamily(responses)
// Responses that are created at the same time, each in a stream of its own.
const MAX_RUNNING = 16
const MAX_WAITING = 64
// A client that is this far behind does not read the errors that it causes.
const MAX_BEHIND_BYTES = 1024 * 1024

/**
 * Responses over one WebSocket. Each message is a request of its own: it is authenticated, limited and settled like one
 * over HTTP, to suppliers of any format.
 */
export class ResponseSession implements WebSocketSession {
  readonly #origin: SessionOrigin
  readonly #channel: WebSocketChannel
  readonly #gateway: Gateway
  readonly #replies: ConnectionReplies
  /** In the order in which they came. */
  readonly #waiting: WaitingMessage[] = []
  /** By their streams; those without a name are one stream. */
  readonly #running = new Map<string | null, RunningRequest>()
  #interruption: GatewayError | null = null
  #hasEnded = false

  constructor(origin: SessionOrigin, gateway: Gateway, channel: WebSocketChannel) {
    this.#origin = origin
    this.#channel = channel
    this.#replies = new ConnectionReplies((bytes) => channel.hold(bytes))
    this.#gateway = { ...gateway, connectionReplies: this.#replies }
  }

  receive(text: string, release: () => void): void {
    const message = this.#waiting.length < MAX_WAITING ? readMessage(text) : tooMany()
    if (message.type === 'create' || message.type === 'refused') {
      this.#waiting.push({ message, text: message.type === 'create' ? message.body : text, release })
      this.#channel.setBusy(true)
      this.#startWaiting()
      return
    }
    release()
    if (message.type === 'answered') this.#tell(message.answer)
  }

  interrupt(error: GatewayError): void {
    this.#interruption = error
    for (const { exchange, hasBegun } of this.#running.values()) if (!hasBegun) exchange.leave()
  }

  end(): void {
    this.#hasEnded = true
    for (const { release } of this.#waiting.splice(0)) release()
    for (const { exchange } of this.#running.values()) exchange.leave()
    this.#replies.clear()
  }

  /** Starts every message whose stream is free. */
  #startWaiting(): void {
    const blocked = new Set(this.#running.keys())
    for (let place = 0; place < this.#waiting.length && this.#running.size < MAX_RUNNING; ) {
      const waiting = this.#waiting[place]
      if (waiting === undefined) return
      const { streamId } = waiting.message
      if (blocked.has(streamId)) {
        place += 1
        continue
      }
      blocked.add(streamId)
      this.#waiting.splice(place, 1)
      void this.#run(waiting)
    }
  }

  /** Never rejects. */
  async #run({ message, text, release }: WaitingMessage): Promise<void> {
    const { streamId } = message
    const requestId = this.#channel.newRequestId()
    const running = {
      exchange: new InternalExchange({ ...this.#origin, requestId, text }),
      hasBegun: false,
    }
    this.#running.set(streamId, running)
    const startedAtMs = this.#gateway.clock.nowMs()
    const { exchange } = running
    this.#trace(exchange)
    let status: number | null = null
    try {
      const reply = await this.#serve(message, exchange)
      running.hasBegun = true
      status = reply.status
      await this.#deliver(reply, message)
    } catch (thrown) {
      const error = this.#interruption ?? asGatewayError(thrown)
      status ??= error.status
      exchange.error = loggedError(error, exchange.bodyOwner)
      if (!running.hasBegun) noteRefusal(exchange, error, this.#gateway)
      this.#fail(error, message, requestId)
    } finally {
      this.#channel.noteRequest({ requestId, startedAtMs, ...findingsOf(exchange) }, status ?? 200)
      release()
      this.#running.delete(streamId)
      if (this.#waiting.length > 0) this.#startWaiting()
      else if (this.#running.size === 0) this.#channel.setBusy(false)
    }
  }

  /** The messages of a connection belong to the trace of its handshake. */
  #trace(exchange: InternalExchange): void {
    const trace = this.#gateway.observer?.begin(exchange.headers) ?? null
    if (trace !== null) exchange.trace = trace
  }

  #serve(message: WaitingMessage['message'], exchange: InternalExchange): Promise<Reply> {
    if (this.#channel.isClosing) throw new GatewayError('shutting_down', 'This gateway is shutting down.')
    if (message.type === 'refused') return this.#refuse(message.error, exchange)
    return message.generates
      ? serveRequest(exchange, this.#gateway, FAMILY)
      : warmUp(exchange, this.#gateway, FAMILY)
  }

  /** Counts the refusal like one of a body, so that a client cannot cause refusals without end. */
  async #refuse(error: GatewayError, exchange: InternalExchange): Promise<never> {
    const caller = await authenticate({ exchange, gateway: this.#gateway })
    refuseFlood(caller, this.#gateway)
    throw await withLimits(error, { caller, gateway: this.#gateway, exchange, windows: null })
  }

  async #deliver(reply: Reply, message: WaitingMessage['message']): Promise<void> {
    const messages = new ResponseMessages(message.streamId)
    const isWhole = await new EventSink(this.#channel, messages).take(reply.body)
    if (messages.hasFailed) this.#forgetPrevious(message)
    if (!isWhole) this.#channel.close(CLOSE_CODES.internalError, 'The response broke off.')
  }

  #fail(error: GatewayError, message: WaitingMessage['message'], requestId: string): void {
    if (this.#hasEnded) return
    if (error.code === 'internal_error') {
      const problem = error.cause ?? error
      this.#gateway.log.trouble('a request failed with an internal error', problem, requestId)
    }
    this.#forgetPrevious(message)
    this.#tell(encodeError(error.withHeaders({ 'x-request-id': requestId }), message.streamId))
  }

  /** After a failure, clients send the whole conversation again. */
  #forgetPrevious(message: WaitingMessage['message']): void {
    if (message.type === 'create' && message.previousId !== null) this.#replies.forget(message.previousId)
  }

  #tell(text: string): void {
    if (this.#channel.behindBytes <= MAX_BEHIND_BYTES) this.#channel.send(text)
    else this.#channel.close(CLOSE_CODES.policyViolation, 'Read what was sent before you send more.')
  }
}

function tooMany(): Refused {
  const error = new GatewayError(
    'rate_limit_exceeded',
    `${MAX_WAITING} messages of this connection wait already; wait for responses before you send more.`,
    { headers: { 'retry-after': '1' } },
  )
  return { type: 'refused', streamId: null, error }
}
