import { STATUS_CODES } from 'node:http'
import type { PushedBody } from '../../serve/ports/exchange.ts'
import { FIELD_NAME, NOT_PLAIN } from '../../wire/head-fields.ts'
import type { MessageWriter, WritableSocket } from '../../wire/message-writer.ts'
import {
  type BodyChannel,
  type BodyStreamReader,
  OutgoingBody,
  type OutgoingFraming,
} from './outgoing-body.ts'

export type AnswerFields = Readonly<Record<string, string>> | Headers

/** An answer to send. */
export interface AnswerParts {
  readonly status: number
  readonly headers: AnswerFields
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | PushedBody | null
}

/** How the request wants its answer. */
export interface AnswerOptions {
  readonly isHeadOnly: boolean
  /** Whether the client supports chunked transfer encoding. */
  readonly takesChunks: boolean
  /** Header lines that the connection adds, such as the date. */
  readonly lines: string
}

export interface SenderParts {
  readonly socket: WritableSocket
  readonly writer: MessageWriter
  readonly owner: AnswerOwner
}

export interface AnswerOwner {
  /** The answer has been handed to the system; false when it broke off, and the client must notice that. */
  onAnswerSent(isWhole: boolean): void
}

// Accepts nothing, so that a message is queued behind earlier ones.
const FULL: WritableSocket = { write: () => 0 }

/** Sends one answer after another over a connection. */
export class AnswerSender implements BodyChannel {
  /** Bytes that the socket has not accepted yet; nearly always none. */
  readonly unsent: Uint8Array[] = []
  /** Whether a producer pushes the current body; it then watches for clients that do not read. */
  isPushed = false
  readonly #socket: WritableSocket
  readonly #writer: MessageWriter
  readonly #owner: AnswerOwner
  #body: OutgoingBody | null = null
  #drained: PromiseWithResolvers<void> | null = null
  #isClosed = false

  constructor({ socket, writer, owner }: SenderParts) {
    this.#socket = socket
    this.#writer = writer
    this.#owner = owner
  }

  /** Throws UnsendableField before anything is sent. */
  send({ status, headers, body }: AnswerParts, options: AnswerOptions): void {
    const head = headLines(status, headers) + options.lines
    if (status === 204 || status === 304) {
      discard(body)
      this.sendLines(`${head}\r\n`)
    } else if (options.isHeadOnly) {
      discard(body)
      this.sendLines(`${head}${lengthLine(body, headers)}\r\n`)
    } else if (body === null || typeof body === 'string') {
      const message = { head: `${head}content-length: `, body: body ?? '' }
      const unsent = this.#writer.write(this.unsent.length > 0 ? FULL : this.#socket, message)
      // On a closed connection there is nothing left to send.
      if (unsent !== null && unsent !== 'closed') this.unsent.push(unsent)
    } else if (body instanceof Uint8Array) {
      this.sendLines(`${head}content-length: ${body.length}\r\n\r\n`)
      this.sendPiece(body, body.length)
    } else {
      const length = fieldOf(headers, 'content-length')
      const framing = length === null ? (options.takesChunks ? 'chunks' : 'close') : Number(length)
      this.#sendPieces(head, body, framing)
      return
    }
    this.#endWhenSent(true)
  }

  #sendPieces(head: string, body: ReadableStream<Uint8Array> | PushedBody, framing: OutgoingFraming): void {
    const outgoing = new OutgoingBody(framing, this)
    const source = body instanceof ReadableStream ? (body.getReader() as BodyStreamReader) : body
    this.#body = outgoing
    this.isPushed = 'pushTo' in source
    if (framing === 'chunks') this.sendLines(`${head}transfer-encoding: chunked\r\n\r\n`)
    else this.sendLines(framing === 'close' ? `${head}\r\n` : `${head}content-length: ${framing}\r\n\r\n`)
    if (!('pushTo' in source)) {
      void outgoing.pull(source)
      return
    }
    try {
      source.pushTo(outgoing)
    } catch {
      // The head has been sent, so the only way left to report a failure is to break off.
      outgoing.breakOff()
    }
  }

  endBody(isWhole: boolean): void {
    this.#body = null
    this.isPushed = false
    if (!isWhole) this.#clear()
    this.#endWhenSent(isWhole)
  }

  #endWhenSent(isWhole: boolean): void {
    if (this.#isClosed) return
    if (this.unsent.length === 0) this.#owner.onAnswerSent(isWhole)
    else void this.drained().then(() => this.#endWhenSent(isWhole))
  }

  /** Sends a head, or lines before it such as 100 Continue. They must be ASCII: their length is their number of bytes. */
  sendLines(text: string): void {
    const written = this.unsent.length > 0 ? 0 : this.#socket.write(text)
    if (written < text.length) this.unsent.push(Buffer.from(text).subarray(Math.max(0, written)))
  }

  sendPiece(bytes: Uint8Array, size: number): void {
    const written = this.unsent.length > 0 ? 0 : this.#socket.write(bytes, 0, size)
    // A copy, because the caller reuses its buffer for other clients. The `slice` of a Buffer would not copy.
    if (written < size) this.unsent.push(new Uint8Array(bytes.subarray(Math.max(0, written), size)))
  }

  drained(): Promise<void> {
    if (this.unsent.length === 0) return Promise.resolve()
    this.#drained ??= Promise.withResolvers<void>()
    return this.#drained.promise
  }

  /** The socket accepts more bytes. */
  resume(): void {
    for (let next = this.unsent[0]; next !== undefined; next = this.unsent[0]) {
      const written = this.#socket.write(next, 0, next.length)
      if (written < next.length) {
        if (written > 0) this.unsent[0] = next.subarray(written)
        return
      }
      this.unsent.shift()
    }
    this.#resolveDrained()
  }

  /** The client has disconnected. */
  close(): void {
    this.#isClosed = true
    this.#body?.cancel()
    this.#clear()
  }

  #clear(): void {
    this.unsent.length = 0
    this.#resolveDrained()
  }

  #resolveDrained(): void {
    const drained = this.#drained
    this.#drained = null
    drained?.resolve()
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
function lengthLine(body: AnswerParts['body'], headers: AnswerFields): string {
  let length = fieldOf(headers, 'content-length')
  if (typeof body === 'string') length = String(Buffer.byteLength(body))
  else if (body instanceof Uint8Array) length = String(body.length)
  else if (body === null) length ??= '0'
  return length === null ? '' : `content-length: ${length}\r\n`
}

/** A header of an answer cannot be sent. */
export class UnsendableField extends Error {
  override readonly name = 'UnsendableField'
}

const LINE_BREAK = /[\r\n\0]/
const NON_ASCII = /[^\t\x20-\x7e]+/g

// Headers that only the server itself sets.
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'date',
  'keep-alive',
  'x-request-id',
  'request-id',
  'access-control-allow-origin',
  'access-control-expose-headers',
])

/** The status line and the headers of an answer, without the headers that the server sets itself. */
export function headLines(status: number, fields: AnswerFields): string {
  let lines = statusLines.get(status) ?? statusLine(status)
  if (fields instanceof Headers) {
    // Headers visits each set-cookie separately, and joins all other repeated headers.
    fields.forEach((value, name) => {
      lines += fieldLine(name, value)
    })
    return lines
  }
  for (const name in fields) lines += fieldLine(name, fields[name] ?? '')
  return lines
}

const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`
  statusLines.set(status, line)
  return line
}

/** The last line written for a header. Most headers have the same value in answer after answer. */
interface KnownLine {
  value: string
  line: string
}

const knownLines = new Map<string, KnownLine>()
// More than there are header names in use.
const MAX_KNOWN_LINES = 200

function fieldLine(name: string, value: string): string {
  const known = knownLines.get(name)
  if (known?.value === value) return known.line
  if (known === undefined && !FIELD_NAME.test(name)) {
    throw new UnsendableField(`${JSON.stringify(name)} is not a valid header name.`)
  }
  const line = RESERVED_HEADERS.has(name)
    ? ''
    : `${name}: ${NOT_PLAIN.test(value) ? percentEncode(name, value) : value}\r\n`
  if (known !== undefined) {
    known.value = value
    known.line = line
  } else if (name !== 'set-cookie' && knownLines.size < MAX_KNOWN_LINES) {
    // Cookies are not kept: they are secrets of one client.
    knownLines.set(name, { value, line })
  }
  return line
}

/** Percent-encodes everything beyond ASCII, which clients would decode in different ways. */
function percentEncode(name: string, value: string): string {
  if (LINE_BREAK.test(value))
    throw new UnsendableField(`The value of the header ${name} contains a line break.`)
  return value.replace(NON_ASCII, (letters) => encodeURIComponent(letters.toWellFormed()))
}

export function fieldOf(fields: AnswerFields, name: string): string | null {
  return fields instanceof Headers ? fields.get(name) : (fields[name] ?? null)
}
