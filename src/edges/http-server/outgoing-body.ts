import type { BodySink } from '../../serve/ports/exchange.ts'

/** The connection that a body is sent over. */
export interface BodyChannel {
  /** Takes all bytes. Those that the socket does not accept yet are copied and sent later. */
  sendPiece(bytes: Uint8Array, size: number): void
  /** Bytes that the socket has not accepted yet; nearly always none. */
  readonly unsent: readonly Uint8Array[]
  /** Resolves when nothing is left unsent, or the client has disconnected. */
  drained(): Promise<void>
  /** The body has ended; false when it broke off. */
  endBody(isWhole: boolean): void
}

/** How the client finds the end of the body: by chunks, by its length in bytes, or when the connection closes. */
export type OutgoingFraming = 'chunks' | 'close' | number

export type BodyStreamReader = ReadableStreamDefaultReader<Uint8Array>

const CHUNK_OVERHEAD = 16
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

// Nearly every piece fits. A piece is framed and sent synchronously, so all connections share one buffer.
const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** A body that is sent piece by piece: its producer pushes the pieces, or `pull` reads them from a stream. */
export class OutgoingBody implements BodySink {
  readonly #framing: OutgoingFraming
  readonly #channel: BodyChannel
  #reader: BodyStreamReader | null = null
  #sentBytes = 0
  #hasEnded = false

  constructor(framing: OutgoingFraming, channel: BodyChannel) {
    this.#framing = framing
    this.#channel = channel
  }

  get isBehind(): boolean {
    return this.#channel.unsent.length > 0
  }

  get behindBytes(): number {
    let bytes = 0
    for (const piece of this.#channel.unsent) bytes += piece.length
    return bytes
  }

  caughtUp(): Promise<void> {
    return this.#channel.drained()
  }

  /** Throws when the body exceeds its announced length. */
  send(bytes: Uint8Array): void {
    if (this.#hasEnded) return
    // A string has a length too, and would send stale bytes of the shared buffer.
    if (!(bytes instanceof Uint8Array)) throw new TypeError('A body must consist of bytes.')
    if (bytes.length === 0) return
    this.#sentBytes += bytes.length
    if (this.#framing !== 'chunks') {
      if (this.#framing !== 'close' && this.#sentBytes > this.#framing) throw wrongLength()
      this.#channel.sendPiece(bytes, bytes.length)
      return
    }
    const maxBytes = bytes.length + CHUNK_OVERHEAD
    const chunk = maxBytes <= scratch.length ? scratch : Buffer.allocUnsafe(maxBytes)
    let at = writeChunkSize(chunk, bytes.length)
    chunk.set(bytes, at)
    at += bytes.length
    chunk[at] = CARRIAGE_RETURN
    chunk[at + 1] = LINE_FEED
    this.#channel.sendPiece(chunk, at + 2)
  }

  /** Throws when the body is shorter than its announced length. */
  end(): void {
    if (this.#hasEnded) return
    if (typeof this.#framing === 'number' && this.#sentBytes !== this.#framing) throw wrongLength()
    this.#hasEnded = true
    if (this.#framing === 'chunks') this.#channel.sendPiece(LAST_CHUNK, LAST_CHUNK.length)
    this.#channel.endBody(true)
  }

  breakOff(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#channel.endBody(false)
  }

  /** Sends the pieces of a stream at the client's pace. Never rejects. */
  async pull(reader: BodyStreamReader): Promise<void> {
    this.#reader = reader
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        this.send(value)
        if (this.isBehind) await this.caughtUp()
      }
      this.end()
    } catch {
      this.breakOff()
    }
  }

  /** The client has disconnected. A producer that pushes learns this from its exchange. */
  cancel(): void {
    this.#hasEnded = true
    this.#reader?.cancel().catch(() => {
      // A stream that fails to cancel is not read any further either.
    })
  }
}

function wrongLength(): Error {
  return new Error('The body does not have the length that content-length announced.')
}

const HEX_DIGITS = Buffer.from('0123456789abcdef')

/** Digit by digit: a call into the runtime for so few bytes takes longer. Returns where the bytes of the chunk begin. */
function writeChunkSize(chunk: Buffer, size: number): number {
  let digits = 1
  for (let rest = size >>> 4; rest > 0; rest >>>= 4) digits += 1
  for (let place = digits - 1, rest = size; place >= 0; place -= 1, rest >>>= 4)
    chunk[place] = HEX_DIGITS[rest & 0xf] ?? 0
  chunk[digits] = CARRIAGE_RETURN
  chunk[digits + 1] = LINE_FEED
  return digits + 2
}
