import { type BodyFraming, type BodyTaker, ChunkedFraming, LengthFraming } from '../../wire/body-framing.ts'
import { endOfText, HeadFields, MalformedMessage } from '../../wire/head-fields.ts'

const MAX_HEAD_BYTES = 65_536
// "Continue" and the like, before the response itself.
const MAX_INTERIM_HEADS = 8

const HEAD_END = Buffer.from('\r\n\r\n')

/** Receives a response as it arrives. */
export interface ResponseSink extends BodyTaker {
  takeHead(head: ResponseHead): void
  /** The whole body at once, from this index on. */
  takeWhole(bytes: Buffer, from: number): void
}

/**
 * Reads one response from the bytes of a connection and passes it to the sink, synchronously. Throws MalformedMessage.
 * Bytes after the end of the response make the connection unfit for reuse.
 */
export class ResponseReader {
  readonly #sink: ResponseSink
  #partialHead: GrowingBuffer | null = null
  #framing: BodyFraming | null = null
  #interimHeads = 0
  #staysOpen = false
  hasBegun = false
  /** Whether more bytes followed the response in the same piece. */
  isFollowed = false

  constructor(sink: ResponseSink) {
    this.#sink = sink
  }

  get isComplete(): boolean {
    return this.#framing?.isComplete ?? false
  }

  /** Whether the connection may be reused. */
  get staysOpen(): boolean {
    return this.#staysOpen && this.isComplete
  }

  /** Whether the head has arrived only in part. */
  get isWithinHead(): boolean {
    return this.#framing === null && this.#partialHead !== null
  }

  push(bytes: Buffer): void {
    this.hasBegun = true
    if (this.#framing === null) this.#readHead(bytes)
    else this.#readBody(this.#framing, bytes)
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
      if (end > MAX_HEAD_BYTES) throw endless()
      this.#takeHead(new ResponseHead(known, end))
      const from = end + HEAD_END.length
      if (this.#framing !== null) {
        if (!this.#takeWhole(this.#framing, known, from)) this.#readBody(this.#framing, known.subarray(from))
        return
      }
      this.#partialHead = null
      known = known.subarray(from)
      end = known.indexOf(HEAD_END)
    }
    if (known.length > MAX_HEAD_BYTES) throw endless()
    if (this.#partialHead !== null || known.length === 0) return
    this.#partialHead = new GrowingBuffer()
    this.#partialHead.append(known)
  }

  #takeHead(head: ResponseHead): void {
    if (head.status >= 200) {
      const framing = framingOf(head)
      this.#staysOpen = staysOpen(head, framing)
      this.#framing = framing
      this.#sink.takeHead(head)
      return
    }
    // We never ask to switch protocols.
    if (head.status === 101 || ++this.#interimHeads > MAX_INTERIM_HEADS) {
      throw new MalformedMessage('The supplier sent interim responses without a final one.')
    }
  }

  #takeWhole(framing: BodyFraming, bytes: Buffer, from: number): boolean {
    if (!framing.takeAll(bytes.length - from)) return false
    this.#sink.takeWhole(bytes, from)
    return true
  }

  #readBody(framing: BodyFraming, bytes: Buffer): void {
    if (bytes.length === 0) return
    const taken = framing.push(bytes, this.#sink)
    if (taken === bytes.length) return
    this.#staysOpen = false
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

function endless(): MalformedMessage {
  return new MalformedMessage('The head of the response is too large.')
}

const PROTOCOL = Buffer.from('HTTP/1.')
// Several times what any supplier sends.
const MAX_FIELDS = 256

const ZERO = 0x30
const BLANK = 0x20

/** The head of a response. */
export class ResponseHead extends HeadFields {
  readonly status: number
  readonly isHttp11: boolean

  /** Reads the head that ends where the empty line begins. Throws MalformedMessage. */
  constructor(bytes: Buffer, end: number) {
    const lineEnd = endOfText(bytes, 0, end)
    const status = readStatus(bytes, lineEnd)
    super(bytes, lineEnd, end)
    if (this.fieldCount > MAX_FIELDS)
      throw new MalformedMessage('The head of the response has too many lines.')
    this.status = status
    this.isHttp11 = bytes[7] !== ZERO
  }
}

/** The status in `HTTP/1.1 200`; a reason phrase after it is ignored. */
function readStatus(bytes: Buffer, end: number): number {
  for (let at = 0; at < PROTOCOL.length; at++) if (bytes[at] !== PROTOCOL[at]) throw malformed()
  const version = digitAt(bytes, 7)
  const status = digitAt(bytes, 9) * 100 + digitAt(bytes, 10) * 10 + digitAt(bytes, 11)
  const isWhole = end === 12 || (end > 12 && bytes[12] === BLANK)
  if (!isWhole || version > 1 || bytes[8] !== BLANK || status < 100 || status > 599) throw malformed()
  return status
}

function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO
  if (digit < 0 || digit > 9) throw malformed()
  return digit
}

function malformed(): MalformedMessage {
  return new MalformedMessage('The head of the response is malformed.')
}

/** Responses with these statuses have no body, whatever their headers say. */
function isBodiless({ status }: ResponseHead): boolean {
  return status === 204 || status === 304
}

export function framingOf(head: ResponseHead): BodyFraming {
  if (isBodiless(head)) return new LengthFraming(0)
  const coding = head.get('transfer-encoding')
  if (coding !== null) {
    if (coding.toLowerCase() !== 'chunked')
      throw new MalformedMessage('The transfer encoding of the response is not supported.')
    return new ChunkedFraming()
  }
  const length = head.digits('content-length')
  if (length === null) return new OpenFraming()
  return new LengthFraming(Number.isNaN(length) ? readLength(head.get('content-length') ?? '') : length)
}

/** Whether another request may follow on the same connection once this response is complete. */
export function staysOpen(head: ResponseHead, framing: BodyFraming): boolean {
  if (!head.isHttp11 || framing.endsWithConnection) return false
  // Some servers send a body anyway, which would be taken for the next response.
  if (isBodiless(head)) return false
  // With both headers, a proxy on the way may have read another length.
  if (head.has('transfer-encoding') && head.has('content-length')) return false
  const connection = head.get('connection')
  return connection === null || !/\bclose\b/i.test(connection)
}

/** Some servers repeat the same length. Two different lengths are refused. */
function readLength(text: string): number {
  const repeated = /^(\d+)(?:[ \t]*,[ \t]*\1)*$/.exec(text)
  const length = Number(repeated?.[1] ?? Number.NaN)
  if (Number.isSafeInteger(length)) return length
  throw new MalformedMessage('The content-length of the response is invalid.')
}

class OpenFraming implements BodyFraming {
  readonly isComplete = false
  readonly endsWithConnection = true

  takeAll(): boolean {
    return false
  }

  push(bytes: Buffer, taker: BodyTaker): number {
    taker.takeBody(bytes)
    return bytes.length
  }
}
