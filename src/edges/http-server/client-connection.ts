import type { Socket } from 'bun'
import type { GatewayError } from '../../errors/gateway-error.ts'
import { CLOSE_CODES, type OpenWebSocket } from '../../serve/ports/web-socket.ts'
import {
  type AnswerOwner,
  type AnswerParts,
  AnswerSender,
  discard,
  fieldOf,
  isWhole,
} from './answer-sender.ts'
import type { ConnectionHost, ServedConnection } from './connection-host.ts'
import { CORS_LINES } from './cors.ts'
import { GrowingBytes } from './growing-bytes.ts'
import { type BodyFlow, cutShort, IncomingBody } from './incoming-body.ts'
import type { ConnectionEntry, ConnectionState } from './open-connections.ts'
import {
  bodyLengthOf,
  expectsContinue,
  framingOf,
  leadingBlankBytes,
  type RequestHead,
  readRequestHead,
  refusalFor,
  tooLargeHead,
} from './request-head.ts'
import { type RequestContent, SocketExchange } from './socket-exchange.ts'
import { type WebSocketCarrier, WebSocketConnection } from './web-socket/web-socket-connection.ts'

/**
 * - `head`: waits for a request;
 * - `serving`: the handler works on the answer;
 * - `answering`: the answer is being sent;
 * - `clearing`: the answer has been sent, but the request has not fully arrived;
 * - `web-socket`: the connection carries frames;
 * - `closing`: this side has closed; received bytes are discarded.
 */
type Phase = 'head' | 'serving' | 'answering' | 'clearing' | 'web-socket' | 'closing'

const HEAD_END = Buffer.from('\r\n\r\n')
const MAX_HEAD_BYTES = 64 * 1024
// Pipelined requests that are kept. Beyond this the client has to send them again.
const MAX_UNREAD_BYTES = 64 * 1024
// How long a client may take to close its side before the connection is terminated.
const CLOSE_TIMEOUT_MS = 2_000
const NOTHING = Buffer.alloc(0)
const UPGRADE_LINE = 'connection: upgrade\r\n'
const CARRIAGE_RETURN = 0x0d

/** A client's connection: reads requests one after another and answers them in order. */
export class ClientConnection implements BodyFlow, AnswerOwner, ServedConnection, WebSocketCarrier {
  webSocket: WebSocketConnection | null = null
  readonly #host: ConnectionHost
  readonly #socket: Socket<ClientConnection>
  readonly #sender: AnswerSender
  #phase: Phase = 'head'
  /** A partial head, or bytes after the request that is being served. */
  readonly #unread = new GrowingBytes()
  /** How many of these bytes have been searched for the end of the head. */
  #searchedBytes = 0
  #hasHeadBegun = false
  readonly #entry: ConnectionEntry<ServedConnection>
  #exchange: SocketExchange | null = null
  /** The body of the current request while it arrives. */
  #body: IncomingBody | null = null
  #hasServed = false
  /** Whether the client waits for `100 Continue`. */
  #awaitsContinue = false
  #endsAfterAnswer = false
  #isPaused = false
  /** The last activity that the current phase's timeout counts from. */
  #movedAtMs: number
  #isClosed = false

  constructor(socket: Socket<ClientConnection>, host: ConnectionHost) {
    this.#socket = socket
    this.#host = host
    this.#entry = host.connections.add(this, socket.remoteAddress ?? '')
    this.#movedAtMs = host.roughlyNowMs
    this.#sender = new AnswerSender({ socket, writer: host.writer, owner: this })
  }

  get address(): string | null {
    return this.#isClosed ? null : (this.#socket.remoteAddress ?? null)
  }

  /** The request whose answer has not begun, if any. */
  get waiting(): SocketExchange | null {
    return this.#phase === 'serving' ? this.#exchange : null
  }

  /** Whether an answer is being prepared or sent. */
  get isBusy(): boolean {
    return this.#phase === 'serving' || this.#phase === 'answering'
  }

  /** Handles bytes from the client. */
  receive(bytes: Buffer): void {
    if (this.#phase === 'closing') return
    if (this.#phase === 'head') this.#readRequest(bytes)
    else if (this.#body !== null) this.#readBody(this.#body, bytes)
    else if (this.webSocket !== null) this.webSocket.receive(bytes)
    else this.#keepUnread(bytes)
  }

  /** The socket accepts more bytes. */
  resumeSending(): void {
    // In other phases the timeout does not depend on sending.
    if (this.isBusy) this.#movedAtMs = this.#host.roughlyNowMs
    this.#sender.resume()
    this.webSocket?.resumed()
  }

  /** The connection is closed. */
  onClose(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#host.connections.remove(this.#entry)
    this.#sender.close()
    this.#body?.fail(cutShort())
    if (this.isBusy) this.#exchange?.leave()
    // While the handler works on the answer, it still uses the body.
    if (this.#phase === 'answering') this.#exchange?.end()
    this.webSocket?.end()
  }

  terminate(): void {
    this.#socket.terminate()
    this.onClose()
  }

  /** Closes an idle connection to make room for another. */
  dismiss(): void {
    this.webSocket?.close(CLOSE_CODES.goingAway, 'The gateway makes room for other connections.')
    if (this.#phase === 'head' || this.webSocket !== null) this.#socket.end()
    else this.#socket.terminate()
    this.onClose()
  }

  answer(parts: AnswerParts, exchange: SocketExchange): void {
    const { head } = exchange
    if (this.#isClosed) {
      exchange.end()
      discard(parts.body)
      return
    }
    const hasLength =
      head.takesChunks || isWhole(parts.body) || fieldOf(parts.headers, 'content-length') !== null
    const wantsEnd = fieldOf(parts.headers, 'connection') === 'close' || this.#host.isDraining
    // A client that got no `100 Continue` may send its body anyway, so the next bytes are ambiguous.
    const isBodyInDoubt = this.#awaitsContinue
    this.#endsAfterAnswer ||= wantsEnd || !head.staysOpen || !hasLength || isBodyInDoubt
    this.#phase = 'answering'
    this.#movedAtMs = this.#host.roughlyNowMs
    this.#sender.send(parts, {
      isHeadOnly: head.method === 'HEAD',
      takesChunks: head.takesChunks,
      lines: this.#ownLines(exchange.requestId, head) + (parts.status === 426 ? UPGRADE_LINE : ''),
    })
  }

  setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused || this.#isClosed) return
    this.#isPaused = isPaused
    if (isPaused) this.#socket.pause()
    else this.#socket.resume()
  }

  sendContinue(): void {
    if (!this.#awaitsContinue || this.#phase !== 'serving') return
    this.#awaitsContinue = false
    this.#sender.sendLines('HTTP/1.1 100 Continue\r\n\r\n')
  }

  /** The answer to the request is a WebSocket. `lines` are the head of that answer. */
  upgrade(lines: string, exchange: SocketExchange, open: OpenWebSocket): void {
    exchange.end()
    if (this.#isClosed) return
    const early = this.#unread.take()
    this.#exchange = null
    this.#enter('web-socket', 'web-socket')
    this.#sender.sendLines(`${lines}${this.#ownLines(exchange.requestId, exchange.head)}\r\n`)
    const parts = { host: this.#host, sender: this.#sender, entry: this.#entry, carrier: this, exchange }
    this.webSocket = new WebSocketConnection(parts, open)
    // The client has sent more than is kept while it waits for the handshake.
    if (this.#endsAfterAnswer) this.terminate()
    else if (early.length > 0) this.webSocket.receive(early)
  }

  /** For a WebSocket: what is left to send is sent before this side closes. */
  hangUp(): void {
    if (this.#isClosed) return
    this.#enter('closing', 'closing')
    void this.#sender.drained().then(() => this.#isClosed || this.#socket.shutdown())
  }

  checkTimeout(nowMs: number): void {
    this.waiting?.checkTimeout()
    if (this.#phase === 'web-socket') this.webSocket?.checkTimeout(nowMs)
    if (nowMs - this.#movedAtMs < this.#phaseTimeoutMs()) return
    if (this.isBusy || this.#phase === 'closing') this.terminate()
    else this.#hangUp()
  }

  #phaseTimeoutMs(): number {
    const { idleMs, headMs } = this.#host
    switch (this.#phase) {
      case 'head':
        return this.#hasServed && !this.#hasHeadBegun ? idleMs : headMs
      case 'serving':
        return this.#body === null || this.#isPaused ? Number.POSITIVE_INFINITY : idleMs
      case 'answering':
        // The producer of a pushed body notices a client that does not read.
        return this.#sender.isPushed || this.#sender.unsent.length === 0 ? Number.POSITIVE_INFINITY : idleMs
      case 'clearing':
        return idleMs
      case 'web-socket':
        return Number.POSITIVE_INFINITY
      case 'closing':
        return CLOSE_TIMEOUT_MS
    }
  }

  #readRequest(bytes: Buffer): void {
    // A request usually arrives in one piece, which is read where it is.
    const isAlone = this.#unread.length === 0 && bytes[0] !== CARRIAGE_RETURN
    if (!isAlone) {
      this.#unread.add(bytes)
      this.#dropBlankLines()
    }
    const known = isAlone ? bytes : this.#unread.peek()
    const end = known.indexOf(HEAD_END, Math.max(0, this.#searchedBytes - HEAD_END.length + 1))
    if (end < 0 && known.length <= MAX_HEAD_BYTES) {
      if (isAlone) this.#unread.add(bytes)
      this.#searchedBytes = known.length
      this.#noteHeadBegun(known)
      return
    }
    this.#searchedBytes = 0
    this.#hasHeadBegun = false
    try {
      if (end < 0 || end > MAX_HEAD_BYTES) throw tooLargeHead(MAX_HEAD_BYTES)
      this.#endsAfterAnswer = false
      const head = readRequestHead(known, end)
      this.#begin(head, this.#readContent(head, known, end + HEAD_END.length))
    } catch (error) {
      this.#refuse(refusalFor(error))
    }
  }

  /** Skips empty lines before a request, which some clients send after a body. */
  #dropBlankLines(): void {
    const blankBytes = leadingBlankBytes(this.#unread.peek())
    if (blankBytes === 0) return
    this.#unread.drop(blankBytes)
    this.#searchedBytes = 0
  }

  /** Empty lines do not start a request. */
  #noteHeadBegun(known: Buffer): void {
    if (this.#hasHeadBegun || (known.length <= 1 && (known[0] ?? CARRIAGE_RETURN) === CARRIAGE_RETURN)) return
    this.#hasHeadBegun = true
    this.#movedAtMs = this.#host.roughlyNowMs
    this.#entry.move(this.#hasServed ? 'begun' : 'new')
  }

  #readContent(head: RequestHead, known: Buffer, from: number): RequestContent {
    const length = bodyLengthOf(head)
    const end = length === 'chunked' ? Number.POSITIVE_INFINITY : from + length
    if (end <= known.length) {
      if (this.#unread.length > 0 || end < known.length) this.#dropRequest(known, end)
      return { length, body: length === 0 ? NOTHING : known.subarray(from, end) }
    }
    this.#unread.take()
    const body = new IncomingBody(framingOf(length), this)
    this.#body = body
    this.#awaitsContinue = from === known.length && expectsContinue(head)
    if (from < known.length) this.#pushBody(body, known.subarray(from))
    return { length, body }
  }

  /** Keeps what follows a request that came in pieces, or together with the next one. */
  #dropRequest(known: Buffer, end: number): void {
    if (this.#unread.length === 0) this.#unread.add(known)
    this.#unread.drop(end)
    if (this.#unread.length > MAX_UNREAD_BYTES) this.#discardUnread()
  }

  #begin(head: RequestHead, content: RequestContent): void {
    this.#enter('serving', 'busy')
    const startedAtMs = this.#host.clock.nowMs()
    const requestId = this.#host.requestIds.next(startedAtMs)
    const parts = { requestId, head, content, startedAtMs, connection: this }
    this.#exchange = new SocketExchange(parts, this.#host)
    void this.#host.dispatcher.serve(this.#exchange, this)
  }

  #readBody(body: IncomingBody, bytes: Buffer): void {
    this.#awaitsContinue = false
    // Discarding a body is limited in total time, not between two bytes.
    if (this.#phase !== 'clearing') this.#movedAtMs = this.#host.roughlyNowMs
    try {
      this.#pushBody(body, bytes)
    } catch (error) {
      // The next bytes could belong to this body or to another request.
      this.#body = null
      this.#endsAfterAnswer = true
      body.fail(refusalFor(error))
    }
    if (this.#body === null && this.#phase === 'clearing') this.#endExchange()
  }

  #pushBody(body: IncomingBody, bytes: Buffer): void {
    const taken = body.push(bytes)
    if (!body.isComplete) return
    this.#body = null
    if (taken < bytes.length) this.#keepUnread(bytes.subarray(taken))
  }

  #keepUnread(bytes: Buffer): void {
    if (this.#endsAfterAnswer) return
    // After an answer these bytes are the next request, which is read in the next turn whatever its size.
    const isNext = this.#phase === 'clearing'
    if (!isNext && this.#unread.length + bytes.length > MAX_UNREAD_BYTES) this.#discardUnread()
    // A copy, because the packet behind it may be many times as large.
    else this.#unread.add(this.#unread.length === 0 ? Buffer.from(bytes) : bytes)
  }

  /** The socket is not paused instead, because a paused socket does not report that the client has disconnected. */
  #discardUnread(): void {
    this.#endsAfterAnswer = true
    this.#unread.take()
  }

  #enter(phase: Phase, state: ConnectionState): void {
    this.#phase = phase
    this.#movedAtMs = this.#host.roughlyNowMs
    this.#entry.move(state)
  }

  /** The header lines that every answer has. `head` is null when the request is malformed. */
  #ownLines(requestId: string, head: RequestHead | null): string {
    let lines = this.#host.dateLine
    if (this.#endsAfterAnswer) lines += 'connection: close\r\n'
    else if (head?.takesChunks === false) lines += 'connection: keep-alive\r\n'
    lines += `x-request-id: ${requestId}\r\nrequest-id: ${requestId}\r\n`
    return head?.fields.has('origin') ? lines + CORS_LINES : lines
  }

  /** Answers a malformed request and reads nothing further. */
  #refuse(error: GatewayError): void {
    this.#body = null
    this.#unread.take()
    this.#enter('answering', 'busy')
    this.#endsAfterAnswer = true
    const requestId = this.#host.requestIds.next(this.#host.clock.nowMs())
    const parts = this.#host.dispatcher.refuse(error, requestId)
    const lines = this.#ownLines(requestId, null)
    this.#sender.send(parts, { isHeadOnly: false, takesChunks: true, lines })
  }

  onAnswerSent(isWhole: boolean): void {
    if (this.#isClosed) return
    this.#exchange?.end()
    if (!isWhole) this.#endsAfterAnswer = true
    // Without chunks, a client would take an answer that broke off for complete.
    if (!isWhole && !this.#exchange?.head.takesChunks) this.terminate()
    else if (this.#endsAfterAnswer || this.#body === null) this.#endExchange()
    else {
      this.#enter('clearing', 'clearing')
      this.#body.discard()
    }
  }

  #endExchange(): void {
    this.#exchange = null
    this.#hasServed = true
    if (this.#endsAfterAnswer) {
      this.#hangUp()
      return
    }
    this.#enter('head', 'idle')
    if (this.#isPaused) this.setPaused(false)
    // In the next turn: thousands of pipelined requests must not block other connections.
    if (this.#unread.length > 0) setImmediate(() => this.#readNext())
  }

  #readNext(): void {
    if (this.#phase === 'head' && !this.#isClosed && this.#unread.length > 0) this.#readRequest(NOTHING)
  }

  #hangUp(): void {
    this.#enter('closing', 'closing')
    this.#unread.take()
    this.setPaused(false)
    // Only one direction: a full close would reset the connection while the client sends, and the answer could be lost.
    this.#socket.shutdown()
  }
}
