import { type AnswerBytes, type ByteReader, type HttpAnswer, SlowAnswer } from './http-answer.ts'

/** More than the longest text reply. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024
/** More than the largest reply, which holds ten images. */
export const MAX_IMAGE_REPLY_BYTES = 256 * 1024 * 1024
/** More than any error, token count or list. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** The minimum speed of a body once it has begun. */
export interface Pace {
  readonly windowMs: number
  readonly minBytes: number
}

// Slower than the slowest model writes; complete replies arrive much faster.
const MIN_PACE: Pace = { windowMs: 30_000, minBytes: 128 }

const decoder = new TextDecoder()

/**
 * The text of a body; null when it is longer than `maxBytes`, so that an endless body cannot fill the memory. Rejects
 * with SlowAnswer when the body trickles in. White space before the text does not count: some suppliers send it as a
 * sign of life.
 */
export function readText(response: HttpAnswer, maxBytes: number, pace = MIN_PACE): Promise<string | null> {
  const { headers, body } = response
  const saidBytes = Number(headers.get('content-length') ?? Number.NaN)
  if (saidBytes > maxBytes) return refuse(body)
  return body === null ? response.text() : readPieces(body.getReader(), maxBytes, pace)
}

async function refuse(body: AnswerBytes | null): Promise<null> {
  await body?.cancel()
  return null
}

async function readPieces(reader: ByteReader, maxBytes: number, pace: Pace): Promise<string | null> {
  const pieces = new Pieces()
  const watch = new PaceWatch(reader, pace)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (watch.isTooSlow) throw new SlowAnswer('The supplier sent its reply too slowly.')
      if (done) return decoder.decode(pieces.join())
      pieces.add(value)
      if (pieces.byteCount > maxBytes) {
        await reader.cancel()
        return null
      }
      watch.note(value)
    }
  } catch (error) {
    throw watch.isTooSlow
      ? new SlowAnswer('The supplier sent its reply too slowly.', { cause: error })
      : error
  } finally {
    watch.end()
  }
}

const SMALL_PIECE_BYTES = 4_096
const BLOCK_BYTES = 65_536

/** Pieces of a body. Small ones are copied together, because each buffer object takes many times their size. */
class Pieces {
  readonly #pieces: Uint8Array[] = []
  #block: Uint8Array | null = null
  #blockBytes = 0
  byteCount = 0

  add(bytes: Uint8Array): void {
    this.byteCount += bytes.length
    // The first piece is often the whole body.
    if (this.#pieces.length === 0 || bytes.length > SMALL_PIECE_BYTES) {
      this.#closeBlock()
      this.#pieces.push(bytes)
      return
    }
    if (this.#blockBytes + bytes.length > BLOCK_BYTES) this.#closeBlock()
    this.#block ??= new Uint8Array(BLOCK_BYTES)
    this.#block.set(bytes, this.#blockBytes)
    this.#blockBytes += bytes.length
  }

  join(): Uint8Array {
    this.#closeBlock()
    const [first] = this.#pieces
    if (first === undefined) return new Uint8Array(0)
    return this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)
  }

  #closeBlock(): void {
    if (this.#block === null) return
    this.#pieces.push(this.#block.subarray(0, this.#blockBytes))
    this.#block = null
    this.#blockBytes = 0
  }
}

// Nearly every body arrives in fewer pieces than this and needs no timer.
const WATCHED_FROM_PIECE = 3

/** Aborts a body that is too slow. A timeout for silence would restart with each byte. */
class PaceWatch {
  readonly #reader: ByteReader
  readonly #pace: Pace
  #timer: Timer | null = null
  #pieceCount = 0
  #windowBytes = 0
  isTooSlow = false

  constructor(reader: ByteReader, pace: Pace) {
    this.#reader = reader
    this.#pace = pace
  }

  note(bytes: Uint8Array): void {
    this.#windowBytes += bytes.length
    if (this.#timer !== null) return
    if (this.#pieceCount === 0 && isBlank(bytes)) return
    this.#pieceCount += 1
    if (this.#pieceCount < WATCHED_FROM_PIECE) return
    this.#windowBytes = 0
    this.#timer = setInterval(() => this.#check(), this.#pace.windowMs)
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  #check(): void {
    if (this.#windowBytes < this.#pace.minBytes) {
      this.isTooSlow = true
      // Cancelling ends the pending read.
      this.#reader.cancel().catch(() => undefined)
    }
    this.#windowBytes = 0
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))
}
