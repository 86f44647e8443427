import { type Receiver as FrameReceiver, Receiver, Sender } from 'ws-frames'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import { asGatewayError } from '../../../errors/render-error.ts'
import {
  CLOSE_CODES,
  type MessageRequest,
  type OpenWebSocket,
  type WebSocketChannel,
  type WebSocketSession,
} from '../../../serve/ports/web-socket.ts'
import type { AnswerSender } from '../answer-sender.ts'
import { HeldBody } from '../body-budget.ts'
import type { ConnectionHost, ServedConnection } from '../connection-host.ts'
import type { ConnectionEntry } from '../open-connections.ts'
import type { SocketExchange } from '../socket-exchange.ts'

/** The client's connection that carries the frames. */
export interface WebSocketCarrier {
  /** Closes the connection after everything has been sent. */
  hangUp(): void
  terminate(): void
}

export interface WebSocketParts {
  readonly host: ConnectionHost
  readonly sender: Pick<AnswerSender, 'sendPiece' | 'unsent' | 'drained'>
  readonly entry: Pick<ConnectionEntry<ServedConnection>, 'move'>
  readonly carrier: WebSocketCarrier
  /** The handshake. */
  readonly exchange: SocketExchange
}

const frameOptions = (opcode: number) => ({ fin: true, opcode, mask: false, readOnly: true, rsv1: false })
const TEXT = frameOptions(0x1)
const CLOSE = frameOptions(0x8)
const PING = frameOptions(0x9)
const PONG = frameOptions(0xa)
const NOTHING = Buffer.alloc(0)
// The receiver takes a signed 32-bit number.
const MAX_MESSAGE_BYTES = 2 ** 31 - 1
const MAX_FRAGMENTS = 16_384
const MAX_PIECES = 131_072
// What a piece of a message takes in memory besides its bytes.
const PIECE_OVERHEAD_BYTES = 128
// A client's control frame has a head of two bytes, a mask of four, and no other length.
const CONTROL_HEAD_BYTES = 6
const NO_STATUS = 1005
const MAX_REASON_LENGTH = 120

/** The close code for each error of the receiver; 1002 for all others. */
const ERROR_CLOSE_CODES: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
}

/** A connection after its upgrade: reads and writes frames (RFC 6455), and hands whole messages to a session. */
export class WebSocketConnection implements WebSocketChannel {
  readonly #host: ConnectionHost
  readonly #sender: WebSocketParts['sender']
  readonly #entry: WebSocketParts['entry']
  readonly #carrier: WebSocketCarrier
  readonly #exchange: SocketExchange
  readonly #receiver: FrameReceiver
  readonly #session: WebSocketSession
  /** The memory of the message that is arriving. */
  #held: HeldBody | null = null
  /** Bytes of it that have arrived. */
  #partialBytes = 0
  #partialSinceMs = 0
  /** The last ping that could not be answered yet. */
  #owedPong: Buffer | null = null
  #heardAtMs: number
  #isPinged = false
  isBusy = false
  #hasClosed = false
  #hasEnded = false

  constructor({ host, sender, entry, carrier, exchange }: WebSocketParts, open: OpenWebSocket) {
    this.#host = host
    this.#sender = sender
    this.#entry = entry
    this.#carrier = carrier
    this.#exchange = exchange
    this.#heardAtMs = host.roughlyNowMs
    this.#receiver = new Receiver({
      isServer: true,
      maxPayload: Math.min(host.bodyLimits.maxBytes, MAX_MESSAGE_BYTES),
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_PIECES,
    })
    this.#receiver.on('message', (data, isBinary) => this.#takeMessage(data, isBinary))
    this.#receiver.on('ping', (data) => this.#answerPing(data))
    this.#receiver.on('pong', (data) => this.#discount(data.length))
    this.#receiver.on('conclude', (code) => this.#conclude(code))
    this.#receiver.on('error', ({ code, message }) =>
      this.close(ERROR_CLOSE_CODES[code ?? ''] ?? CLOSE_CODES.protocolError, message),
    )
    this.#session = open(this)
    host.webSockets += 1
  }

  get isBehind(): boolean {
    return this.#sender.unsent.length > 0
  }

  get behindBytes(): number {
    let bytes = 0
    for (const piece of this.#sender.unsent) bytes += piece.length
    return bytes
  }

  get isClosing(): boolean {
    return this.#host.dispatcher.isClosing
  }

  caughtUp(): Promise<void> {
    return this.#sender.drained()
  }

  send(text: string): void {
    if (!this.#hasClosed) this.#sendFrame(Buffer.from(text), TEXT)
  }

  setBusy(isBusy: boolean): void {
    if (this.isBusy === isBusy || this.#hasEnded) return
    this.isBusy = isBusy
    this.#entry.move(isBusy ? 'busy' : 'web-socket')
    if (!isBusy && (this.#host.isDraining || this.isClosing)) this.drain()
  }

  close(code: number, reason: string): void {
    if (this.#hasClosed) return
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason.slice(0, MAX_REASON_LENGTH)))
    payload.writeUInt16BE(code)
    payload.write(reason.slice(0, MAX_REASON_LENGTH), 2)
    this.#sendClose(payload)
    this.#hangUp()
  }

  newRequestId(): string {
    return this.#host.requestIds.next(this.#host.clock.nowMs())
  }

  noteRequest(request: MessageRequest, status: number): void {
    const { path, route } = this.#exchange
    this.#host.dispatcher.note({ ...request, method: 'WEBSOCKET', path, route }, status)
  }

  hold(bytes: number): () => void {
    const held = this.#newHeld()
    held.add(bytes)
    return () => held.release()
  }

  /** Bytes from the client. */
  receive(bytes: Buffer): void {
    if (this.#hasClosed) return
    this.#noteHeard()
    try {
      this.#count(bytes.length)
      this.#receiver.write(bytes)
    } catch (thrown) {
      const { code, message, cause } = asGatewayError(thrown)
      if (code === 'internal_error') this.#host.dispatcher.report('a WebSocket message failed', cause)
      this.close(code === 'internal_error' ? CLOSE_CODES.internalError : CLOSE_CODES.tryAgainLater, message)
    }
    if (this.#partialBytes <= 0) this.#forgetPartial()
  }

  /** The socket accepts more bytes. */
  resumed(): void {
    if (this.#hasClosed) return
    this.#noteHeard()
    const pong = this.#owedPong
    if (pong === null || this.isBehind) return
    this.#owedPong = null
    this.#sendFrame(pong, PONG)
  }

  checkTimeout(nowMs: number): void {
    const quietMs = nowMs - this.#heardAtMs
    if (quietMs >= this.#host.idleMs) {
      this.#carrier.terminate()
    } else if (!this.#isPinged && quietMs >= this.#host.idleMs / 2) {
      this.#isPinged = true
      this.#noteActivity()
      if (!this.isBehind) this.#sendFrame(NOTHING, PING)
    }
  }

  /** Closes the connection as soon as it is not busy. */
  drain(): void {
    if (!this.isBusy) this.close(CLOSE_CODES.goingAway, 'The gateway is shutting down.')
  }

  interrupt(error: GatewayError): void {
    this.#session.interrupt(error)
  }

  /** The connection is closed. */
  end(): void {
    this.#hasClosed = true
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#host.webSockets -= 1
    this.#forgetPartial()
    this.#session.end()
  }

  #takeMessage(data: Buffer, isBinary: boolean): void {
    const held = this.#held ?? this.#newHeld()
    this.#held = null
    this.#partialBytes = 0
    if (isBinary && !this.#hasClosed) this.close(CLOSE_CODES.unsupportedData, 'Send text messages.')
    if (this.#hasClosed) held.release()
    else this.#session.receive(data.toString(), () => held.release())
  }

  /** Pings of a client that does not read are answered once, when it does. */
  #answerPing(data: Buffer): void {
    this.#discount(data.length)
    if (this.isBehind) this.#owedPong = data
    else if (!this.#hasClosed) this.#sendFrame(data, PONG)
  }

  #conclude(code: number): void {
    if (this.#hasClosed) return
    const payload = Buffer.alloc(code === NO_STATUS ? 0 : 2)
    if (code !== NO_STATUS) payload.writeUInt16BE(code)
    this.#sendClose(payload)
    this.#hangUp()
  }

  /** Also refuses a message that drips in too slowly. Silent clients are found by pings. */
  #count(bytes: number): void {
    const host = this.#host
    if (this.#partialBytes <= 0) this.#partialSinceMs = host.roughlyNowMs
    else if (host.roughlyNowMs - this.#partialSinceMs > host.bodyLimits.timeoutMs) {
      this.close(CLOSE_CODES.policyViolation, 'The message took too long to arrive.')
    }
    this.#held ??= this.#newHeld()
    this.#held.add(bytes + PIECE_OVERHEAD_BYTES)
    this.#partialBytes += bytes
  }

  #discount(payloadBytes: number): void {
    this.#partialBytes -= payloadBytes + CONTROL_HEAD_BYTES
  }

  #forgetPartial(): void {
    this.#partialBytes = 0
    this.#held?.release()
    this.#held = null
  }

  #newHeld(): HeldBody {
    return new HeldBody(this.#host.bodyBudget, this.#exchange.bodyOwner ?? null)
  }

  #noteHeard(): void {
    this.#heardAtMs = this.#host.roughlyNowMs
    this.#isPinged = false
    this.#noteActivity()
  }

  /** Connections without work are kept in the order of their last activity, so that the first one times out first. */
  #noteActivity(): void {
    if (!this.isBusy && !this.#hasClosed) this.#entry.move('web-socket')
  }

  #sendClose(payload: Buffer): void {
    this.#sendFrame(payload, CLOSE)
    this.#hasClosed = true
  }

  #hangUp(): void {
    this.end()
    this.#carrier.hangUp()
  }

  #sendFrame(payload: Uint8Array, options: typeof TEXT): void {
    const frame = Buffer.concat(Sender.frame(payload, options))
    this.#sender.sendPiece(frame, frame.length)
  }
}
