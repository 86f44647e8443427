import { type BodyFraming, type BodyTaker, ChunkedFraming, LengthFraming } from '../../wire/body-framing.ts'
import { endOfText, HeadFields, MalformedMessage } from '../../wire/head-fields.ts'

const MAX_HEAD_BYTES = 65_536
// "Continue" and the like, before the response itself.
const MAX_INTERIM_HEADS = 8

const HEAD_END = Buffer.from('\r\n\r\n')

/** Receives a response as it arrives. */
export interface ResponseSink {
  /** Returns what receives the body. */
  takeHead(head: ResponseHead): BodySink
}

export interface BodySink extends BodyTaker {
  /** The whole body at once, from this index on. Nearly every JSON reply arrives like this. */
  takeWhole(bytes: Buffer, from: number): void
}

/**
 * Reads one response from the bytes of a connection and passes it to the sink, synchronously. Throws MalformedMessage.
 * Bytes after the end of the response make the connection unfit for reuse.
 */
export class ResponseReader {
  readonly #sink: ResponseSink
  #partialHead: GrowingBuffer | null = null
  #interimHeads = 0
  #body: BodySink | null = null
  #framing: BodyFraming | null = null
  hasBegun = false
  /** Whether the head has arrived only in part. */
  isWithinHead = false
  isComplete = false
  /** Whether the connection may be reused once the response is complete. */
  staysOpen = false
  /** Whether more bytes followed the response in the same piece. */
  isFollowed = false

  constructor(sink: ResponseSink) {
    this.#sink = sink
  }

  push(bytes: Buffer): void {
    this.hasBegun = true
    if (this.#framing === null) this.#readHead(bytes)
    else this.#readBody(bytes)
  }

  /** The connection is closed. Returns whether the response is complete. */
  end(): boolean {
    return this.isComplete || (this.#framing?.endsWithConnection ?? false)
  }

  #readHead(bytes: Buffer): void {
    const searched = this.#partialHead?.length ?? 0
    let known = this.#partialHead?.append(bytes) ?? bytes
    // The empty line may have begun at the end of what was searched before.
    let end = known.indexOf(HEAD_END, Math.max(0, searched - HEAD_END.length + 1))
    while (end >= 0) {
      if (end > MAX_HEAD_BYTES) throw tooLarge()
      const head = new ResponseHead(known, end)
      const from = end + HEAD_END.length
      this.#partialHead = null
      this.isWithinHead = false
      if (head.status >= 200) {
        this.#beginBody(head, known, from)
        return
      }
      // We never ask to switch protocols.
      if (head.status === 101 || ++this.#interimHeads > MAX_INTERIM_HEADS) {
        throw new MalformedMessage('The supplier sent interim responses without a final one.')
      }
      known = known.subarray(from)
      end = known.indexOf(HEAD_END)
    }
    if (known.length > MAX_HEAD_BYTES) throw tooLarge()
    if (this.#partialHead !== null || known.length === 0) return
    this.isWithinHead = true
    this.#partialHead = new GrowingBuffer()
    this.#partialHead.append(known)
  }

  #beginBody(head: ResponseHead, bytes: Buffer, from: number): void {
    const length = bodyLengthOf(head)
    this.staysOpen = staysOpen(head, length)
    const body = this.#sink.takeHead(head)
    if (length === bytes.length - from) {
      body.takeWhole(bytes, from)
      this.isComplete = true
      return
    }
    this.#body = body
    if (length === 'chunked') this.#framing = new ChunkedFraming()
    else this.#framing = length === 'until-close' ? new OpenFraming() : new LengthFraming(length)
    if (bytes.length > from) this.#readBody(bytes.subarray(from))
  }

  #readBody(bytes: Buffer): void {
    if (this.#framing === null || this.#body === null) return
    const taken = this.#framing.push(bytes, this.#body)
    this.isComplete = this.#framing.isComplete
    if (taken === bytes.length) return
    this.staysOpen = false
    this.isFollowed = true
  }
}

/** A buffer for bytes that arrive in small pieces; each byte is copied a few times at most. */
class GrowingBuffer {
  #memory: Buffer = EMPTY
  length = 0

  /** Returns all bytes so far. */
  append(bytes: Buffer): Buffer {
    const length = this.length + bytes.length
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length, FIRST_MEMORY_BYTES))
      this.#memory.copy(larger, 0, 0, this.length)
      this.#memory = larger
    }
    bytes.copy(this.#memory, this.length)
    this.length = length
    return this.#memory.subarray(0, length)
  }
}

const EMPTY = Buffer.alloc(0)
const FIRST_MEMORY_BYTES = 2_048

function tooLarge(): MalformedMessage {
  return new MalformedMessage('The head of the response is too large.')
}

const PROTOCOL = Buffer.from('HTTP/1.')
// Several times what any supplier sends.
const MAX_FIELDS = 256

const ZERO = 0x30
const ONE = 0x31
const BLANK = 0x20

/** The head of a response. */
export class ResponseHead extends HeadFields {
  readonly status: number
  readonly isHttp11: boolean
  /** Responses with these statuses have no body, whatever their headers say. */
  readonly isBodiless: boolean

  /** Reads the head that ends where the empty line begins. Throws MalformedMessage. */
  constructor(bytes: Buffer, end: number) {
    const lineEnd = endOfText(bytes, 0, end)
    const status = readStatus(bytes, lineEnd)
    super(bytes, lineEnd, end)
    if (this.fieldCount > MAX_FIELDS)
      throw new MalformedMessage('The head of the response has too many lines.')
    this.status = status
    this.isHttp11 = bytes[7] !== ZERO
    this.isBodiless = status === 204 || status === 304
  }
}

/** The status in `HTTP/1.1 200`; a reason phrase after it is ignored. */
function readStatus(bytes: Buffer, end: number): number {
  for (let at = 0; at < PROTOCOL.length; at++) if (bytes[at] !== PROTOCOL[at]) throw malformed()
  const isKnownVersion = bytes[7] === ZERO || bytes[7] === ONE
  const isWhole = end === 12 || (end > 12 && bytes[12] === BLANK)
  if (!isKnownVersion || bytes[8] !== BLANK || !isWhole) throw malformed()
  let status = 0
  for (let at = 9; at < 12; at++) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) throw malformed()
    status = status * 10 + digit
  }
  if (status < 100 || status > 599) throw malformed()
  return status
}

function malformed(): MalformedMessage {
  return new MalformedMessage('The head of the response is malformed.')
}

type BodyLength = number | 'chunked' | 'until-close'

function bodyLengthOf(head: ResponseHead): BodyLength {
  if (head.isBodiless) return 0
  const coding = head.get('transfer-encoding')
  if (coding !== null) {
    if (coding.toLowerCase() === 'chunked') return 'chunked'
    throw new MalformedMessage('The transfer encoding of the response is not supported.')
  }
  const length = head.digits('content-length')
  if (length === null) return 'until-close'
  return Number.isNaN(length) ? readLength(head.get('content-length') ?? '') : length
}

/** Some servers repeat the same length. Two different lengths are refused. */
function readLength(text: string): number {
  const repeated = /^(\d+)(?:[ \t]*,[ \t]*\1)*$/.exec(text)
  const length = Number(repeated?.[1] ?? Number.NaN)
  if (Number.isSafeInteger(length)) return length
  throw new MalformedMessage('The content-length of the response is invalid.')
}

/** Whether another request may follow on the same connection once this response is complete. */
function staysOpen(head: ResponseHead, length: BodyLength): boolean {
  if (!head.isHttp11 || length === 'until-close') return false
  // Some servers send a body anyway, which would be taken for the next response.
  if (head.isBodiless) return false
  // With both headers, a proxy on the way may have read another length.
  if (length === 'chunked' && head.has('content-length')) return false
  const connection = head.get('connection')
  return connection === null || !/\bclose\b/i.test(connection)
}

/** A body that ends when the supplier closes the connection. */
class OpenFraming implements BodyFraming {
  readonly isComplete = false
  readonly endsWithConnection = true

  push(bytes: Buffer, taker: BodyTaker): number {
    taker.takeBody(bytes)
    return bytes.length
  }
}
