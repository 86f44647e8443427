import { MalformedMessage } from '../../wire/head-fields.ts'
import { type HttpAnswer, SlowAnswer } from '../../wire/http-answer.ts'
import type { MessageText } from '../../wire/message-writer.ts'
import type { Connection, ConnectionUser } from './connection.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { decompress, type UnpackBudget } from './decompress.ts'
import { type ResponseHead, ResponseReader, type ResponseSink } from './response-reader.ts'
import { type AnswerSource, SocketAnswer } from './socket-answer.ts'

/** A request and the pool to send it over. */
export interface SocketRequest extends MessageText {
  readonly pool: ConnectionPool
  /** How long a new connection may take. */
  readonly connectMs: number
}

/** What all calls share. */
export interface CallParts {
  readonly unpackBudget: UnpackBudget
  /** How long a head may take from its first byte to its last. */
  readonly headMs: number
  /** Opens a new connection. */
  open(pool: ConnectionPool, connectMs: number): Promise<Connection>
}

/**
 * One request and its answer.
 *
 * An answer that arrives before the whole request has been sent does not answer it. On a reused connection it may be
 * the rest of an earlier answer: it is discarded, and the request, which the supplier cannot have processed yet, is
 * sent again over a new connection. On a new connection it can only refuse this request, such as 413; any other status
 * is an error.
 */
export class SocketCall implements ConnectionUser, ResponseSink, AnswerSource {
  readonly #request: SocketRequest
  readonly #parts: CallParts
  readonly #answered = Promise.withResolvers<HttpAnswer>()
  readonly #reader = new ResponseReader(this)
  #connection: Connection | null = null
  #answer: SocketAnswer | null = null
  #headTimer: Timer | null = null
  #isOver = false
  #isReused = false
  #isEarly = false
  #mayTryAgain = false

  constructor(request: SocketRequest, parts: CallParts) {
    this.#request = request
    this.#parts = parts
  }

  /** Resolves when the head of the answer has arrived. */
  begin(): Promise<HttpAnswer> {
    const rested = this.#request.pool.take()
    if (rested === null) this.#openNew()
    else {
      this.#isReused = true
      this.#mayTryAgain = rested.mayBeStale
      this.#sendOver(rested)
    }
    return this.#answered.promise
  }

  readonly abort = (): void => {
    if (this.#isOver) return
    this.#end(new Error('The call was aborted.'))
  }

  setPaused(isPaused: boolean): void {
    if (!this.#isOver) this.#connection?.setPaused(isPaused)
  }

  receive(bytes: Buffer): void {
    if (this.#connection?.hasUnsent === true && !this.#mayComeEarly()) return
    try {
      this.#reader.push(bytes)
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)))
      return
    }
    if (this.#reader.isComplete) this.#complete()
    else if (this.#reader.isWithinHead !== (this.#headTimer !== null)) this.#watchHead()
  }

  takeHead(head: ResponseHead): void {
    if (this.#isEarly && head.status < 300) {
      throw new MalformedMessage('The supplier answered before it had the whole request.')
    }
    this.#answer = new SocketAnswer(head, this)
    this.#answered.resolve(decompress(this.#answer, this.#parts.unpackBudget))
  }

  takeBody(bytes: Buffer): void {
    this.#answer?.take(bytes)
  }

  takeWhole(bytes: Buffer, from: number): void {
    this.#answer?.takeWhole(bytes, from)
  }

  lose(error: Error | null): void {
    // A server may close an idle connection just as the next request is sent.
    if (this.#mayTryAgain && !this.#reader.hasBegun) this.#openNew()
    else if (error === null && this.#reader.end()) this.#complete()
    else this.#fail(error ?? new Error('The supplier closed the connection before its answer was complete.'))
  }

  /** Bytes arrived before the whole request was sent. Returns whether they may be read as its answer. */
  #mayComeEarly(): boolean {
    this.#isEarly = true
    if (!this.#isReused) return true
    this.#connection?.distrustOrigin()
    this.#connection?.close()
    this.#openNew()
    return false
  }

  #watchHead(): void {
    if (this.#headTimer === null) {
      const error = new SlowAnswer('The supplier did not complete the head of its answer in time.')
      this.#headTimer = setTimeout(() => this.#end(error), this.#parts.headMs)
    } else {
      clearTimeout(this.#headTimer)
      this.#headTimer = null
    }
  }

  #openNew(): void {
    this.#isReused = false
    this.#isEarly = false
    this.#mayTryAgain = false
    this.#parts.open(this.#request.pool, this.#request.connectMs).then(
      (connection) => {
        if (this.#isOver) connection.release(true)
        else this.#sendOver(connection)
      },
      (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))),
    )
  }

  #sendOver(connection: Connection): void {
    this.#connection = connection
    connection.send(this.#request, this)
  }

  #complete(): void {
    if (this.#isOver) return
    this.#settle()
    this.#connection?.release(this.#reader.staysOpen && !this.#isEarly)
    if (this.#reader.isFollowed) this.#connection?.distrustOrigin()
    this.#answer?.complete()
  }

  /** Fails the call and closes the connection. */
  #end(error: Error): void {
    this.#connection?.close()
    this.#fail(error)
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#settle()
    if (this.#answer === null) this.#answered.reject(error)
    else this.#answer.fail(error)
  }

  #settle(): void {
    this.#isOver = true
    if (this.#headTimer !== null) clearTimeout(this.#headTimer)
  }
}
