import type { AnswerBytes, ByteReader, HttpAnswer, ReadResult } from '../../wire/http-answer.ts'
import type { HeadFields, ResponseHead } from './response-head.ts'

// Beyond this a supplier is faster than its reader, and is made to wait.
const MOST_WAITING_BYTES = 256 * 1024

/** What an answer can ask of the connection it comes over. */
export interface AnswerSource {
  /** Lets no more bytes in, or lets them in again. */
  setPaused(isPaused: boolean): void
  /** Ends the call, wherever it is. */
  abort(): void
}

/**
 * An answer that comes in over a socket. It is its own body and its own reader: there is one reader, who reads either
 * the whole text or piece by piece.
 */
export class SocketAnswer implements HttpAnswer, AnswerBytes, ByteReader {
  readonly status: number
  readonly headers: HeadFields
  readonly #source: AnswerSource
  readonly #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #isWantedWhole = false
  #isComplete = false
  #failure: Error | null = null
  #reading: PromiseWithResolvers<ReadResult> | null = null
  #whole: PromiseWithResolvers<string> | null = null

  constructor({ status, fields }: ResponseHead, source: AnswerSource) {
    this.status = status
    this.headers = fields
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

  text(): Promise<string> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (this.#isComplete) return Promise.resolve(this.#takeText())
    this.#isWantedWhole = true
    this.#source.setPaused(false)
    this.#whole = Promise.withResolvers<string>()
    return this.#whole.promise
  }

  read(): Promise<ReadResult> {
    const value = this.#waiting.shift()
    if (value !== undefined) {
      this.#waitingBytes -= value.length
      if (this.#waitingBytes <= MOST_WAITING_BYTES / 2) this.#source.setPaused(false)
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

  /** More of the body. */
  take(bytes: Uint8Array): void {
    const reading = this.#reading
    if (reading !== null) {
      this.#reading = null
      reading.resolve({ done: false, value: bytes })
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes > MOST_WAITING_BYTES && !this.#isWantedWhole) this.#source.setPaused(true)
  }

  complete(): void {
    this.#isComplete = true
    this.#reading?.resolve(END)
    this.#whole?.resolve(this.#takeText())
  }

  fail(error: Error): void {
    this.#failure = error
    this.#reading?.reject(error)
    this.#whole?.reject(error)
  }

  #takeText(): string {
    const pieces = this.#waiting.splice(0)
    const [first] = pieces
    if (first === undefined) return ''
    return decode(pieces.length === 1 ? first : Buffer.concat(pieces))
  }
}

const END = { done: true, value: undefined } as const

const BYTE_ORDER_MARK = 0xfeff

function decode(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}
