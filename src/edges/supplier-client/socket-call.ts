import { MalformedMessage } from '../../wire/head-fields.ts'
import {
  type AnswerBytes,
  type ByteReader,
  type HttpAnswer,
  type PieceReceiver,
  type PushingReader,
  type ReadResult,
  SlowAnswer,
} from '../../wire/http-answer.ts'
import type { MessageText } from '../../wire/message-writer.ts'
import { Connection, type ConnectionParts, type ConnectionUser } from './connection.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { decompress, type UnpackBudget } from './decompress.ts'
import { type BodySink, type ResponseHead, ResponseReader, type ResponseSink } from './response-reader.ts'

/** A request and the pool to send it over. */
export interface SocketRequest extends MessageText {
  readonly pool: ConnectionPool
  /** How long a new connection may take. */
  readonly connectMs: number
}

/** What all calls share. */
export interface CallParts extends ConnectionParts {
  readonly unpackBudget: UnpackBudget
  /** How long a head may take from its first byte to its last. */
  readonly headMs: number
}

/**
 * One request and its answer.
 *
 * An answer that arrives before the whole request has been sent does not answer it. On a reused connection it may be
 * the rest of an earlier answer: it is discarded, and the request, which the supplier cannot have processed yet, is
 * sent again over a new connection. On a new connection it can only refuse this request, such as 413; any other status
 * is an error.
 */
export class SocketCall implements ConnectionUser, ResponseSink {
  readonly #request: SocketRequest
  readonly #parts: CallParts
  readonly #answered = Promise.withResolvers<HttpAnswer>()
  readonly #reader = new ResponseReader(this)
  #connection: Connection | null
  #answer: SocketAnswer | null = null
  #headTimer: Timer | null = null
  #isOver = false
  #isReused: boolean
  #isEarly = false
  #mayTryAgain: boolean
  /** Resolves when the head of the answer has arrived. */
  readonly answered = this.#answered.promise

  /** You send the request over the rested connection, or call `openNew` when there is none. */
  constructor(request: SocketRequest, parts: CallParts, rested: Connection | null) {
    this.#request = request
    this.#parts = parts
    this.#connection = rested
    this.#isReused = rested !== null
    this.#mayTryAgain = rested?.mayBeStale ?? false
  }

  /** Sends the request over a new connection. Never rejects: a failure to connect fails the call. */
  async openNew(): Promise<void> {
    this.#connection = null
    this.#isReused = false
    this.#isEarly = false
    this.#mayTryAgain = false
    const connection = new Connection(this.#request.pool, this.#parts)
    try {
      await connection.open(this.#request.connectMs)
    } catch (error) {
      this.#finish(errorFrom(error))
      return
    }
    if (this.#isOver) {
      connection.release(true)
      return
    }
    this.#connection = connection
    connection.send(this.#request, this)
  }

  /** Returns whether the supplier had the whole request. */
  readonly abort = (): boolean => {
    if (this.#isOver) return this.#answer !== null
    const isSent = this.#connection?.unsent === null
    this.#closeWith(new Error('The call was aborted.'))
    return isSent
  }

  setPaused(isPaused: boolean): void {
    if (!this.#isOver) this.#connection?.setPaused(isPaused)
  }

  receive(bytes: Buffer): void {
    if (this.#connection?.unsent != null && !this.#mayComeEarly()) return
    const reader = this.#reader
    try {
      reader.push(bytes)
    } catch (error) {
      this.#closeWith(errorFrom(error))
      return
    }
    if (reader.isComplete) this.#finish(null)
    else if (reader.isWithinHead !== (this.#headTimer !== null)) this.#watchHead()
  }

  takeHead(head: ResponseHead): BodySink {
    if (this.#isEarly && head.status < 300) {
      throw new MalformedMessage('The supplier answered before it had the whole request.')
    }
    const answer = new SocketAnswer(head, this)
    this.#answer = answer
    const isEncoded = head.has('content-encoding')
    this.#answered.resolve(isEncoded ? decompress(answer, this.#parts.unpackBudget) : answer)
    return answer
  }

  lose(error: Error | null): void {
    // A server may close an idle connection just as the next request is sent.
    if (this.#mayTryAgain && !this.#reader.hasBegun) void this.openNew()
    else if (error === null && this.#reader.end()) this.#finish(null)
    else
      this.#finish(error ?? new Error('The supplier closed the connection before its answer was complete.'))
  }

  /** Bytes arrived before the whole request was sent. Returns whether they may be read as its answer. */
  #mayComeEarly(): boolean {
    this.#isEarly = true
    if (!this.#isReused) return true
    this.#connection?.distrustOrigin()
    this.#connection?.close()
    void this.openNew()
    return false
  }

  #watchHead(): void {
    if (this.#headTimer === null) {
      const error = new SlowAnswer('The supplier did not complete the head of its answer in time.')
      this.#headTimer = setTimeout(() => this.#closeWith(error), this.#parts.headMs)
    } else {
      clearTimeout(this.#headTimer)
      this.#headTimer = null
    }
  }

  #closeWith(error: Error): void {
    this.#connection?.close()
    this.#finish(error)
  }

  /** Ends the call; null when its answer is complete. */
  #finish(error: Error | null): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#headTimer !== null) clearTimeout(this.#headTimer)
    if (error !== null) {
      if (this.#answer === null) this.#answered.reject(error)
      else this.#answer.fail(error)
      return
    }
    this.#connection?.release(this.#reader.staysOpen && !this.#isEarly)
    if (this.#reader.isFollowed) this.#connection?.distrustOrigin()
    this.#answer?.complete()
  }
}

function errorFrom(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

// Beyond this the socket is paused until the reader catches up.
const MAX_WAITING_BYTES = 256 * 1024

/**
 * An answer that arrives over a socket. It is also its own body and reader: it has one reader, which reads the whole
 * text or piece by piece.
 */
class SocketAnswer implements HttpAnswer, AnswerBytes, PushingReader, BodySink {
  readonly status: number
  readonly ok: boolean
  readonly headers: ResponseHead
  readonly body = this
  readonly #call: SocketCall
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #isPaused = false
  #whole: Buffer | null = null
  #wholeFrom = 0
  #isComplete = false
  #failure: Error | null = null
  #reading: PromiseWithResolvers<ReadResult> | null = null
  #wanted: PromiseWithResolvers<string> | null = null
  #receiver: PieceReceiver | null = null

  constructor(head: ResponseHead, call: SocketCall) {
    this.status = head.status
    this.ok = head.status >= 200 && head.status <= 299
    this.headers = head
    this.#call = call
  }

  getReader(): ByteReader {
    return this
  }

  textNow(): string | null {
    const whole = this.#whole
    if (whole === null) return null
    this.#whole = null
    const text = whole.toString('utf8', this.#wholeFrom)
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
  }

  text(): Promise<string> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (this.#isComplete) return Promise.resolve(this.#takeText())
    this.#wanted = Promise.withResolvers<string>()
    if (this.#isPaused) this.#setPaused(false)
    return this.#wanted.promise
  }

  read(): Promise<ReadResult> {
    const value = this.#takeWaiting()
    if (value !== null) return Promise.resolve({ done: false, value })
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (this.#isComplete) return Promise.resolve(END)
    this.#reading = Promise.withResolvers<ReadResult>()
    return this.#reading.promise
  }

  readNow(): Uint8Array | 'end' | null {
    const value = this.#takeWaiting()
    if (value !== null) return value
    if (this.#failure !== null) throw this.#failure
    return this.#isComplete ? 'end' : null
  }

  handTo(receiver: PieceReceiver): void {
    this.#receiver = receiver
  }

  async cancel(): Promise<void> {
    this.#call.abort()
  }

  takeBody(bytes: Buffer): void {
    const reading = this.#reading
    if (reading !== null) {
      this.#reading = null
      reading.resolve({ done: false, value: bytes })
      return
    }
    if (this.#waiting.length === 0 && this.#receiver?.receive(bytes)) return
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    const mayPause = !this.#isPaused && this.#wanted === null
    if (mayPause && this.#waitingBytes > MAX_WAITING_BYTES) this.#setPaused(true)
  }

  takeWhole(bytes: Buffer, from: number): void {
    this.#whole = bytes
    this.#wholeFrom = from
  }

  complete(): void {
    this.#isComplete = true
    this.#reading?.resolve(END)
    this.#wanted?.resolve(this.#takeText())
    this.#receiver?.noteEnd()
  }

  fail(error: Error): void {
    this.#failure = error
    this.#reading?.reject(error)
    this.#wanted?.reject(error)
    this.#receiver?.noteEnd()
  }

  #takeWaiting(): Uint8Array | null {
    if (this.#whole !== null) this.#cutWhole(this.#whole)
    const value = this.#waiting.shift()
    if (value === undefined) return null
    this.#waitingBytes -= value.length
    if (this.#isPaused && this.#waitingBytes <= MAX_WAITING_BYTES / 2) this.#setPaused(false)
    return value
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#call.setPaused(isPaused)
  }

  #cutWhole(whole: Buffer): void {
    this.#whole = null
    if (whole.length === this.#wholeFrom) return
    this.#waiting.push(whole.subarray(this.#wholeFrom))
    this.#waitingBytes += whole.length - this.#wholeFrom
  }

  #takeText(): string {
    if (this.#whole === null) {
      const pieces = this.#waiting.splice(0)
      const [first] = pieces
      this.takeWhole(first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces), 0)
    }
    return this.textNow() ?? ''
  }
}

const END = { done: true, value: undefined } as const

const BYTE_ORDER_MARK = 0xfeff
