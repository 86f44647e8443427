import type { AnswerBytes, ByteReader, HttpAnswer, ReadResult } from '../../wire/http-answer.ts'
import type { ResponseHead } from './response-reader.ts'

// Beyond this the socket is paused until the reader catches up.
const MAX_WAITING_BYTES = 256 * 1024

/** The call that an answer belongs to. */
export interface AnswerSource {
  /** Pauses or resumes the connection. */
  setPaused(isPaused: boolean): void
  /** Ends the call. */
  abort(): void
}

/**
 * An answer that arrives over a socket. It is also its own body and reader: it has one reader, which reads the whole
 * text or piece by piece.
 */
export class SocketAnswer implements HttpAnswer, AnswerBytes, ByteReader {
  readonly status: number
  readonly headers: ResponseHead
  readonly #source: AnswerSource
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #whole: Buffer | null = null
  #wholeFrom = 0
  #isComplete = false
  #failure: Error | null = null
  #reading: PromiseWithResolvers<ReadResult> | null = null
  #wanted: PromiseWithResolvers<string> | null = null

  constructor(head: ResponseHead, source: AnswerSource) {
    this.status = head.status
    this.headers = head
    this.#source = source
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299
  }

  get body(): AnswerBytes {
    return this
  }

  getReader(): ByteReader {
    return this
  }

  textNow(): string | null {
    const whole = this.#whole
    if (whole === null) return null
    this.#whole = null
    return decode(whole, this.#wholeFrom)
  }

  text(): Promise<string> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (this.#isComplete) return Promise.resolve(this.#takeText())
    this.#source.setPaused(false)
    this.#wanted = Promise.withResolvers<string>()
    return this.#wanted.promise
  }

  read(): Promise<ReadResult> {
    if (this.#whole !== null) this.#cutWhole(this.#whole)
    const value = this.#waiting.shift()
    if (value !== undefined) {
      this.#waitingBytes -= value.length
      if (this.#waitingBytes <= MAX_WAITING_BYTES / 2) this.#source.setPaused(false)
      return Promise.resolve({ done: false, value })
    }
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (this.#isComplete) return Promise.resolve(END)
    this.#reading = Promise.withResolvers<ReadResult>()
    return this.#reading.promise
  }

  async cancel(): Promise<void> {
    this.#source.abort()
  }

  /** Receives more of the body. */
  take(bytes: Buffer): void {
    const reading = this.#reading
    if (reading !== null) {
      this.#reading = null
      reading.resolve({ done: false, value: bytes })
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes > MAX_WAITING_BYTES && this.#wanted === null) this.#source.setPaused(true)
  }

  /** Receives the whole body in one piece, as nearly every JSON reply arrives. */
  takeWhole(bytes: Buffer, from: number): void {
    this.#whole = bytes
    this.#wholeFrom = from
  }

  complete(): void {
    this.#isComplete = true
    this.#reading?.resolve(END)
    this.#wanted?.resolve(this.#takeText())
  }

  fail(error: Error): void {
    this.#failure = error
    this.#reading?.reject(error)
    this.#wanted?.reject(error)
  }

  #cutWhole(whole: Buffer): void {
    this.#whole = null
    if (whole.length > this.#wholeFrom) this.take(whole.subarray(this.#wholeFrom))
  }

  #takeText(): string {
    const text = this.textNow()
    if (text !== null) return text
    const pieces = this.#waiting.splice(0)
    const [first] = pieces
    if (first === undefined) return ''
    return decode(pieces.length === 1 ? first : Buffer.concat(pieces), 0)
  }
}

const END = { done: true, value: undefined } as const

const BYTE_ORDER_MARK = 0xfeff

function decode(bytes: Buffer, from: number): string {
  const text = bytes.toString('utf8', from)
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}
