import type { PushedBody } from '../../serve/ports/exchange.ts'
import type { MessageText, MessageWriter, WritableSocket } from '../../wire/message-writer.ts'
import { type AnswerFields, fieldLines, fieldOf, statusLine } from './answer-head.ts'
import {
  type OutgoingBody,
  type OutgoingFraming,
  OutgoingPieces,
  type PieceSink,
  PulledAnswer,
  PushedAnswer,
} from './outgoing-body.ts'

/** An answer to send. */
export interface AnswerParts {
  readonly status: number
  readonly headers: AnswerFields
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | PushedBody | null
}

/** How the request wants its answer. */
export interface AnswerManner {
  readonly isHeadOnly: boolean
  /** Whether the client supports chunked transfer encoding. */
  readonly takesChunks: boolean
  /** Header lines that the connection adds, such as the date. */
  readonly lines: string
}

export interface SenderParts {
  readonly socket: WritableSocket
  readonly writer: MessageWriter
  /** The answer has been handed to the system; false when it broke off, and the client must notice that. */
  readonly onSent: (isWhole: boolean) => void
}

/** Sends one answer after another over a connection. */
export class AnswerSender {
  readonly #queue: OutgoingQueue
  readonly #onSent: (isWhole: boolean) => void
  #body: OutgoingBody | null = null
  #isClosed = false

  constructor({ socket, writer, onSent }: SenderParts) {
    this.#queue = new OutgoingQueue(socket, writer)
    this.#onSent = onSent
  }

  /** Whether a producer pushes the current body; it then watches for clients that do not read. */
  get isPushed(): boolean {
    return this.#body instanceof PushedAnswer
  }

  get hasUnsent(): boolean {
    return this.#queue.hasUnsent
  }

  /** Throws UnsendableField before anything is sent. */
  send({ status, headers, body }: AnswerParts, manner: AnswerManner): void {
    const head = statusLine(status) + fieldLines(headers) + manner.lines
    if (status === 204 || status === 304) {
      discard(body)
      this.#sendHeadAlone(`${head}\r\n`)
    } else if (manner.isHeadOnly) {
      discard(body)
      this.#sendHeadAlone(`${head}${lengthLine(lengthOf(body, headers))}\r\n`)
    } else if (body === null || typeof body === 'string') this.#sendText(head, body ?? '')
    else if (body instanceof Uint8Array) this.#sendBytes(head, body)
    else this.#sendPieces(head, body, framingFor(fieldOf(headers, 'content-length'), manner))
  }

  /** Sends lines before the answer itself, such as 100 Continue. */
  sendInterim(text: string): void {
    this.#queue.sendLines(text)
  }

  /** The socket accepts more bytes. */
  goOn(): void {
    this.#queue.goOn()
  }

  /** The client has disconnected. */
  close(): void {
    this.#isClosed = true
    this.#body?.cancel()
    this.#queue.clear()
  }

  #sendHeadAlone(text: string): void {
    this.#queue.sendLines(text)
    this.#endWhenSent(true)
  }

  #sendText(lines: string, body: string): void {
    this.#queue.sendMessage({ head: `${lines}content-length: `, body })
    this.#endWhenSent(true)
  }

  #sendBytes(lines: string, bytes: Uint8Array): void {
    const head = `${lines}content-length: ${bytes.length}\r\n\r\n`
    this.#queue.sendLines(head)
    this.#queue.sendPiece(bytes, bytes.length)
    this.#endWhenSent(true)
  }

  #sendPieces(lines: string, body: ReadableStream<Uint8Array> | PushedBody, framing: OutgoingFraming): void {
    const pieces = new OutgoingPieces(framing, this.#queue)
    const isPulled = body instanceof ReadableStream
    const answer = isPulled ? new PulledAnswer(body, pieces) : new PushedAnswer(pieces, this.#endBody)
    this.#body = answer
    const head = `${lines}${framingLine(framing)}\r\n`
    this.#queue.sendLines(head)
    if (answer instanceof PulledAnswer) answer.run(this.#endBody)
    else if (!isPulled) push(body, answer)
  }

  readonly #endBody = (isWhole: boolean): void => {
    this.#body = null
    if (!isWhole) this.#queue.clear()
    this.#endWhenSent(isWhole)
  }

  #endWhenSent(isWhole: boolean): void {
    if (this.#isClosed) return
    if (!this.hasUnsent) this.#onSent(isWhole)
    else void this.#queue.drained().then(() => this.#endWhenSent(isWhole))
  }
}

/** The head has been sent, so the only way left to report a failure is to break off. */
function push(body: PushedBody, answer: PushedAnswer): void {
  try {
    body.pushTo(answer)
  } catch {
    answer.breakOff()
  }
}

export function isWhole(body: AnswerParts['body']): body is string | Uint8Array | null {
  return body === null || typeof body === 'string' || body instanceof Uint8Array
}

/** Cancels a stream that will not be sent. */
export function discard(body: AnswerParts['body']): void {
  if (!(body instanceof ReadableStream)) return
  body.cancel().catch(() => {
    // A stream that fails to cancel is not read any further either.
  })
}

/** The content-length in an answer to HEAD. */
function lengthOf(body: AnswerParts['body'], headers: AnswerFields): string | null {
  if (typeof body === 'string') return String(Buffer.byteLength(body))
  if (body instanceof Uint8Array) return String(body.length)
  return fieldOf(headers, 'content-length') ?? (body === null ? '0' : null)
}

function framingFor(length: string | null, { takesChunks }: AnswerManner): OutgoingFraming {
  if (length !== null) return { type: 'length', bytes: Number(length) }
  return takesChunks ? { type: 'chunks' } : { type: 'close' }
}

function framingLine(framing: OutgoingFraming): string {
  switch (framing.type) {
    case 'chunks':
      return 'transfer-encoding: chunked\r\n'
    case 'length':
      return lengthLine(String(framing.bytes))
    case 'close':
      return ''
  }
}

function lengthLine(length: string | null): string {
  return length === null ? '' : `content-length: ${length}\r\n`
}

// Accepts nothing, so that a message is queued behind earlier ones.
const FULL: WritableSocket = { write: () => 0 }

/** Bytes that the socket has not accepted yet; nearly always none. */
export class OutgoingQueue implements PieceSink {
  readonly #socket: WritableSocket
  readonly #writer: MessageWriter
  #unsent: Uint8Array[] = []
  #drained: PromiseWithResolvers<void> | null = null

  constructor(socket: WritableSocket, writer: MessageWriter) {
    this.#socket = socket
    this.#writer = writer
  }

  get unsentBytes(): number {
    let bytes = 0
    for (const piece of this.#unsent) bytes += piece.length
    return bytes
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0
  }

  /** The text must be ASCII, so that its length is its number of bytes. */
  sendLines(text: string): void {
    const written = this.hasUnsent ? 0 : this.#socket.write(text)
    if (written < text.length) this.#unsent.push(Buffer.from(text).subarray(Math.max(0, written)))
  }

  sendMessage(message: MessageText): void {
    const unsent = this.#writer.write(this.hasUnsent ? FULL : this.#socket, message)
    // On a closed connection there is nothing left to send.
    if (unsent !== null && unsent !== 'closed') this.#unsent.push(unsent)
  }

  sendPiece(bytes: Uint8Array, size: number): void {
    const written = this.hasUnsent ? 0 : this.#socket.write(bytes, 0, size)
    // A copy, because the caller may reuse its buffer for the next piece.
    if (written < size) this.#unsent.push(bytes.slice(Math.max(0, written), size))
  }

  drained(): Promise<void> {
    if (!this.hasUnsent) return Promise.resolve()
    this.#drained ??= Promise.withResolvers<void>()
    return this.#drained.promise
  }

  /** The socket accepts more bytes. */
  goOn(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const written = this.#socket.write(next, 0, next.length)
      if (written < next.length) {
        if (written > 0) this.#unsent[0] = next.subarray(written)
        return
      }
      this.#unsent.shift()
    }
    this.#tellDrained()
  }

  /** Drops everything that is still queued. */
  clear(): void {
    this.#unsent = []
    this.#tellDrained()
  }

  #tellDrained(): void {
    const drained = this.#drained
    this.#drained = null
    drained?.resolve()
  }
}
