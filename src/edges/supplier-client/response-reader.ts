import type { BodyFraming, BodyTaker } from '../../wire/body-framing.ts'
import { MalformedMessage } from '../../wire/malformed-message.ts'
import { framingOf, staysOpen } from './body-framing.ts'
import { ResponseHead } from './response-head.ts'

const MOST_HEAD_BYTES = 65_536
// "Continue" and the like, before the response itself.
const MOST_INTERIM_HEADS = 8

const HEAD_END = Buffer.from('\r\n\r\n')

/** Hears of a response as it comes in. */
export interface ResponseSink extends BodyTaker {
  takeHead(head: ResponseHead): void
  /** All of the body at once, from this place on. */
  takeWhole(bytes: Buffer, from: number): void
}

/**
 * Reads one response out of the bytes of a connection. Synchronous: give it bytes, it tells the sink what they are.
 * Throws MalformedMessage when they are none; what comes after the end of the response makes it unfit to be kept.
 */
export class ResponseReader {
  readonly #sink: ResponseSink
  #unread: Buffer | null = null
  #framing: BodyFraming | null = null
  #interimHeads = 0
  #staysOpen = false
  hasBegun = false

  constructor(sink: ResponseSink) {
    this.#sink = sink
  }

  get isComplete(): boolean {
    return this.#framing?.isComplete ?? false
  }

  /** Whether the connection may be used again. */
  get staysOpen(): boolean {
    return this.#staysOpen && this.isComplete
  }

  push(bytes: Buffer): void {
    this.hasBegun = true
    if (this.#framing === null) this.#readHead(bytes)
    else this.#readBody(this.#framing, bytes)
  }

  /** The connection is closed: whether the response is whole. */
  end(): boolean {
    return this.isComplete || (this.#framing?.endsWithConnection ?? false)
  }

  #readHead(bytes: Buffer): void {
    let known = this.#unread === null ? bytes : Buffer.concat([this.#unread, bytes])
    this.#unread = null
    while (this.#framing === null) {
      const end = known.indexOf(HEAD_END)
      if (end > MOST_HEAD_BYTES || (end < 0 && known.length > MOST_HEAD_BYTES)) {
        throw new MalformedMessage('The head of the response has no end.')
      }
      if (end < 0) {
        this.#unread = known
        return
      }
      this.#takeHead(new ResponseHead(known, end))
      if (this.#takeWhole(known, end + HEAD_END.length)) return
      known = known.subarray(end + HEAD_END.length)
    }
    this.#readBody(this.#framing, known)
  }

  #takeHead(head: ResponseHead): void {
    if (head.status >= 200) {
      const framing = framingOf(head)
      this.#staysOpen = staysOpen(head, framing)
      this.#framing = framing
      this.#sink.takeHead(head)
      return
    }
    // Nobody asked to switch to another protocol.
    if (head.status === 101 || ++this.#interimHeads > MOST_INTERIM_HEADS) {
      throw new MalformedMessage('The response does not come to its point.')
    }
  }

  #takeWhole(bytes: Buffer, from: number): boolean {
    if (this.#framing === null || !this.#framing.takeAll(bytes.length - from)) return false
    this.#sink.takeWhole(bytes, from)
    return true
  }

  #readBody(framing: BodyFraming, bytes: Buffer): void {
    if (bytes.length === 0) return
    const taken = framing.push(bytes, this.#sink)
    if (taken < bytes.length) this.#staysOpen = false
  }
}
