import type { BodyFraming, BodyTaker } from '../../wire/body-framing.ts'
import { MalformedMessage } from '../../wire/malformed-message.ts'
import { framingOf, staysOpen } from './body-framing.ts'
import { ResponseHead } from './response-head.ts'

const MAX_HEAD_BYTES = 65_536
// "Continue" and the like, before the response itself.
const MAX_INTERIM_HEADS = 8

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
  #partialHead: GrowingBuffer | null = null
  #framing: BodyFraming | null = null
  #interimHeads = 0
  #staysOpen = false
  hasBegun = false
  /** Whether bytes came after the end of the response, in one piece with it. */
  isFollowed = false

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

  /** Whether part of a head has come and the rest has not. */
  get isWithinHead(): boolean {
    return this.#framing === null && this.#partialHead !== null
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
    // Nobody asked to switch to another protocol.
    if (head.status === 101 || ++this.#interimHeads > MAX_INTERIM_HEADS) {
      throw new MalformedMessage('The response does not come to its point.')
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

/** Bytes that come in small pieces, each copied a few times at most. */
class GrowingBuffer {
  #memory: Buffer = EMPTY
  length = 0

  /** Gives all bytes so far. */
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
  return new MalformedMessage('The head of the response has no end.')
}
