import type { HttpAnswer } from '../../wire/http-answer.ts'
import type { MessageText } from '../../wire/message-writer.ts'
import type { Connection, ConnectionUser } from './connection.ts'
import { decompress } from './decompress.ts'
import type { Origin } from './origin.ts'
import type { ResponseHead } from './response-head.ts'
import { ResponseReader, type ResponseSink } from './response-reader.ts'
import { type AnswerSource, SocketAnswer } from './socket-answer.ts'

/** What is asked of whom. */
export interface SocketRequest extends MessageText {
  readonly origin: Origin
  /** How long a new connection may take. */
  readonly connectMs: number
}

/** Where a call gets a connection when none waits for it. */
export interface ConnectionSource {
  open(origin: Origin, connectMs: number): Promise<Connection>
}

/** One request and its answer. */
export class SocketCall implements ConnectionUser, ResponseSink, AnswerSource {
  readonly #request: SocketRequest
  readonly #connections: ConnectionSource
  readonly #answered = Promise.withResolvers<HttpAnswer>()
  readonly #reader = new ResponseReader(this)
  #connection: Connection | null = null
  #answer: SocketAnswer | null = null
  #isOver = false
  #mayTryAgain = false

  constructor(request: SocketRequest, connections: ConnectionSource) {
    this.#request = request
    this.#connections = connections
  }

  /** Resolves with the head of the answer. */
  begin(): Promise<HttpAnswer> {
    const idle = this.#request.origin.takeIdle()
    if (idle === null) this.#beginAnew()
    else {
      this.#mayTryAgain = idle.mayBeStale
      this.#sendOver(idle)
    }
    return this.#answered.promise
  }

  readonly abort = (): void => {
    if (this.#isOver) return
    this.#connection?.close()
    this.#fail(new Error('The call was broken off.'))
  }

  setPaused(isPaused: boolean): void {
    if (!this.#isOver) this.#connection?.setPaused(isPaused)
  }

  receive(bytes: Buffer): void {
    try {
      this.#reader.push(bytes)
    } catch (error) {
      this.#connection?.close()
      this.#fail(error instanceof Error ? error : new Error(String(error)))
      return
    }
    if (this.#reader.isComplete) this.#complete()
  }

  takeHead(head: ResponseHead): void {
    this.#answer = new SocketAnswer(head, this)
    this.#answered.resolve(decompress(this.#answer))
  }

  takeBody(bytes: Buffer): void {
    this.#answer?.take(bytes)
  }

  takeWhole(bytes: Buffer, from: number): void {
    this.#answer?.takeWhole(bytes, from)
  }

  lose(error: Error | null): void {
    // A server closes a connection that was idle for long, and may do so while the next request is on its way.
    if (this.#mayTryAgain && !this.#reader.hasBegun) {
      this.#mayTryAgain = false
      this.#beginAnew()
    } else if (error === null && this.#reader.end()) this.#complete()
    else this.#fail(error ?? new Error('The supplier closed the connection before its answer was complete.'))
  }

  #beginAnew(): void {
    this.#connections.open(this.#request.origin, this.#request.connectMs).then(
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
    this.#isOver = true
    this.#connection?.release(this.#reader.staysOpen)
    this.#answer?.complete()
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#answer === null) this.#answered.reject(error)
    else this.#answer.fail(error)
  }
}
