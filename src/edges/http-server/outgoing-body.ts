import type { BodySink } from '../../serve/ports/exchange.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** A body that is sent piece by piece. */
export interface OutgoingBody {
  /** The client has disconnected. */
  cancel(): void
}

/** Called when a body ends, with whether all of it was sent. */
export type EndOfBody = (isWhole: boolean) => void

/** Reads a stream and sends its pieces at the client's pace. */
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
      // A stream that fails to cancel is not read any further either.
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

/** Sends the pieces of a body that its producer pushes. */
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

  /** The producer learns from its exchange that the client has disconnected. */
  cancel(): void {
    this.#hasEnded = true
  }
}

/** Where the bytes of an answer go. */
export interface PieceSink {
  /** Takes all bytes. Those that the socket does not accept yet are copied and sent later. */
  sendPiece(bytes: Uint8Array, size: number): void
  readonly hasUnsent: boolean
  readonly unsentBytes: number
  /** Resolves when nothing is left unsent, or the client has disconnected. */
  drained(): Promise<void>
}

/** How the client finds the end of the body. */
export type OutgoingFraming =
  | { readonly type: 'chunks' }
  | { readonly type: 'length'; readonly bytes: number }
  | { readonly type: 'close' }

const CHUNK_OVERHEAD = 16
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

// Nearly every piece fits. A piece is framed and sent synchronously, so all connections share one buffer.
const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** Frames the pieces of a body as chunks, by length, or by closing the connection. */
export class OutgoingPieces {
  readonly #framing: OutgoingFraming
  readonly #sink: PieceSink
  #sentBytes = 0

  constructor(framing: OutgoingFraming, sink: PieceSink) {
    this.#framing = framing
    this.#sink = sink
  }

  get isBehind(): boolean {
    return this.#sink.hasUnsent
  }

  get behindBytes(): number {
    return this.#sink.unsentBytes
  }

  caughtUp(): Promise<void> {
    return this.#sink.drained()
  }

  /** Throws when the body exceeds its announced length. */
  send(bytes: Uint8Array): void {
    // A string has a length too, and would send stale bytes of the shared buffer.
    if (!(bytes instanceof Uint8Array)) throw new TypeError('A body must consist of bytes.')
    if (bytes.length === 0) return
    this.#sentBytes += bytes.length
    if (this.#framing.type === 'chunks') this.#sendChunk(bytes)
    else if (this.#framing.type === 'close' || this.#sentBytes <= this.#framing.bytes) {
      this.#sink.sendPiece(bytes, bytes.length)
    } else throw wrongLength()
  }

  /** Throws when the body is shorter than its announced length. */
  end(): void {
    if (this.#framing.type === 'chunks') this.#sink.sendPiece(LAST_CHUNK, LAST_CHUNK.length)
    else if (this.#framing.type === 'length' && this.#sentBytes !== this.#framing.bytes) throw wrongLength()
  }

  #sendChunk(bytes: Uint8Array): void {
    const maxBytes = bytes.length + CHUNK_OVERHEAD
    const chunk = maxBytes <= scratch.length ? scratch : Buffer.allocUnsafe(maxBytes)
    let at = chunk.write(`${bytes.length.toString(16)}\r\n`, 'latin1')
    chunk.set(bytes, at)
    at += bytes.length
    chunk[at] = CARRIAGE_RETURN
    chunk[at + 1] = LINE_FEED
    this.#sink.sendPiece(chunk, at + 2)
  }
}

function wrongLength(): Error {
  return new Error('The body does not have the length that content-length announced.')
}
