/** What takes the bytes of an answer. */
export interface PieceSink {
  /** Takes all of it; what the system does not take at once is copied and sent later. */
  sendPiece(bytes: Uint8Array, size: number): void
  readonly hasUnsent: boolean
  readonly unsentBytes: number
  /** Resolves when nothing is left unsent, or nobody is there any more. */
  drained(): Promise<void>
}

/** How a reader learns where the body ends. */
export type OutgoingFraming =
  | { readonly type: 'chunks' }
  | { readonly type: 'length'; readonly bytes: number }
  | { readonly type: 'close' }

const CHUNK_OVERHEAD = 16
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

// Nearly every piece fits; it is written and sent in one go, so one is enough for all connections.
const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** The pieces of a body, framed so that their end can be told. */
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

  /** Throws when it is more than was said. */
  send(bytes: Uint8Array): void {
    // Whatever else a stream may hold has a length as well, and would send what is left of another answer.
    if (!(bytes instanceof Uint8Array)) throw new TypeError('A body is made of bytes.')
    if (bytes.length === 0) return
    this.#sentBytes += bytes.length
    if (this.#framing.type === 'chunks') this.#sendChunk(bytes)
    else if (this.#framing.type === 'close' || this.#sentBytes <= this.#framing.bytes) {
      this.#sink.sendPiece(bytes, bytes.length)
    } else throw wrongLength()
  }

  /** Throws when it was less than was said. */
  end(): void {
    if (this.#framing.type === 'chunks') this.#sink.sendPiece(LAST_CHUNK, LAST_CHUNK.length)
    else if (this.#framing.type === 'length' && this.#sentBytes !== this.#framing.bytes) throw wrongLength()
  }

  #sendChunk(bytes: Uint8Array): void {
    const most = bytes.length + CHUNK_OVERHEAD
    const chunk = most <= scratch.length ? scratch : Buffer.allocUnsafe(most)
    let at = chunk.write(`${bytes.length.toString(16)}\r\n`, 'latin1')
    chunk.set(bytes, at)
    at += bytes.length
    chunk[at] = CARRIAGE_RETURN
    chunk[at + 1] = LINE_FEED
    this.#sink.sendPiece(chunk, at + 2)
  }
}

function wrongLength(): Error {
  return new Error('The body is not as long as was said.')
}
