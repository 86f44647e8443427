import type { BodySink } from '../../serve/ports/exchange.ts'
import type { OutgoingPieces } from './outgoing-pieces.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** A body on its way that comes piece by piece. */
export interface OutgoingBody {
  /** Nobody is there any more to take it. */
  cancel(): void
}

/** How a body ended: whether all of it was sent. */
export type EndOfBody = (isWhole: boolean) => void

/** Pulls a body and sends its pieces at the pace at which the client takes them. */
export class PulledAnswer implements OutgoingBody {
  readonly #reader: Reader
  readonly #pieces: OutgoingPieces

  constructor(body: ReadableStream<Uint8Array>, pieces: OutgoingPieces) {
    this.#reader = body.getReader() as Reader
    this.#pieces = pieces
  }

  run(onEnd: EndOfBody): void {
    this.#move().then(
      () => onEnd(true),
      () => onEnd(false),
    )
  }

  cancel(): void {
    this.#reader.cancel().catch(() => {
      // A body that cannot even be cancelled is not read either.
    })
  }

  async #move(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read()
      if (done) break
      this.#pieces.send(value)
      if (this.#pieces.isBehind) await this.#pieces.caughtUp()
    }
    this.#pieces.end()
  }
}

/** Sends the pieces of a body that is pushed. */
export class PushedAnswer implements OutgoingBody, BodySink {
  readonly #pieces: OutgoingPieces
  readonly #onEnd: EndOfBody
  #hasEnded = false

  constructor(pieces: OutgoingPieces, onEnd: EndOfBody) {
    this.#pieces = pieces
    this.#onEnd = onEnd
  }

  get isBehind(): boolean {
    return this.#pieces.isBehind
  }

  get behindBytes(): number {
    return this.#pieces.behindBytes
  }

  caughtUp(): Promise<void> {
    return this.#pieces.caughtUp()
  }

  send(bytes: Uint8Array): void {
    if (!this.#hasEnded) this.#pieces.send(bytes)
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#pieces.end()
    this.#onEnd(true)
  }

  breakOff(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onEnd(false)
  }

  /** Whoever pushes hears from its exchange that the client has left. */
  cancel(): void {
    this.#hasEnded = true
  }
}
