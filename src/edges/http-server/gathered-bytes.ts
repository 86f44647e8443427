import { GrowingBytes } from './growing-bytes.ts'

// Smaller ones are copied together: each alone would take far more memory than it holds.
const LARGE_BYTES = 16 * 1024

/** Bytes that come in many pieces and are wanted once all of them are there. Large pieces are not copied before. */
export class GatheredBytes {
  readonly #small = new GrowingBytes()
  #pieces: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(bytes: Buffer): void {
    this.#length += bytes.length
    if (bytes.length < LARGE_BYTES) {
      this.#small.add(bytes)
      if (this.#small.length >= LARGE_BYTES) this.#keepSmall()
      return
    }
    this.#keepSmall()
    this.#pieces.push(bytes)
  }

  /** All of them; from here on there are none. */
  take(): Buffer {
    this.#keepSmall()
    const pieces = this.#pieces
    this.#pieces = []
    this.#length = 0
    const [first] = pieces
    return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
  }

  #keepSmall(): void {
    if (this.#small.length > 0) this.#pieces.push(this.#small.take())
  }
}
