import type { ResponseMessages } from '../../protocols/responses/socket.ts'
import { readSseEvent, SseFramer } from '../../wire/sse-events.ts'
import type { BodySink, Reply } from '../ports/exchange.ts'
import type { WebSocketChannel } from '../ports/web-socket.ts'

/** Sends each event of a streamed reply as a message, at the client's pace. */
export class EventSink implements BodySink {
  readonly #channel: WebSocketChannel
  readonly #messages: ResponseMessages
  readonly #framer = new SseFramer()
  readonly #ended = Promise.withResolvers<boolean>()

  constructor(channel: WebSocketChannel, messages: ResponseMessages) {
    this.#channel = channel
    this.#messages = messages
  }

  get isBehind(): boolean {
    return this.#channel.isBehind
  }

  get behindBytes(): number {
    return this.#channel.behindBytes
  }

  caughtUp(): Promise<void> {
    return this.#channel.caughtUp()
  }

  /** Resolves to false when the body breaks off. */
  take(body: Reply['body']): Promise<boolean> {
    if (typeof body === 'string') {
      this.send(Buffer.from(body))
      this.end()
    } else if (body instanceof ReadableStream) {
      throw new Error('a response is not a pulled stream')
    } else {
      body.pushTo(this)
    }
    return this.#ended.promise
  }

  send(bytes: Uint8Array): void {
    const events = this.#framer.push(bytes)
    if (events === null) return
    let start = 0
    for (const end of events.ends) {
      const { data } = readSseEvent(events.bytes.subarray(start, end))
      const message = data === null ? null : this.#messages.push(data)
      if (message !== null) this.#channel.send(message)
      start = end
    }
  }

  end(): void {
    this.#ended.resolve(this.#messages.isOver)
  }

  breakOff(): void {
    this.#ended.resolve(false)
  }
}
