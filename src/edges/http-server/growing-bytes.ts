import { Scratch } from '../../wire/scratch.ts'

const FIRST_BYTES = 4_096
// Consumed bytes at the front that are kept before the rest is copied to the front.
const MAX_SLACK_BYTES = 64 * 1024

/**
 * A buffer that grows as bytes arrive. A single piece is kept as it is, without a copy. Further pieces are copied
 * together, because many small buffers take more memory, and repeated joins more time, than the bytes themselves.
 * Memory is only appended to, so bytes that were handed out never change.
 */
export class GrowingBytes {
  length = 0
  #memory: Buffer | null = null
  #start = 0
  #isOwn = false

  /** The size of the memory behind these bytes. */
  get capacity(): number {
    return this.#memory?.length ?? 0
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return
    if (this.#memory === null) {
      this.#memory = bytes
      this.#isOwn = false
    } else this.#makeRoom(this.#memory, bytes.length).set(bytes, this.#start + this.length)
    this.length += bytes.length
  }

  /** All bytes, without removing them. */
  peek(): Buffer {
    const all = this.#memory ?? NONE
    return all.length === this.length ? all : all.subarray(this.#start, this.#start + this.length)
  }

  /** Removes and returns all bytes. */
  take(): Buffer {
    const taken = this.peek()
    this.#forget()
    return taken
  }

  /** Removes the first bytes. */
  drop(count: number): void {
    if (count >= this.length) {
      this.#forget()
      return
    }
    this.#start += count
    this.length -= count
    if (this.#memory !== null && this.#start > MAX_SLACK_BYTES) this.#moveTo(this.#memory, this.length)
  }

  #forget(): void {
    this.#memory = null
    this.#start = 0
    this.length = 0
  }

  #makeRoom(memory: Buffer, more: number): Buffer {
    if (this.#isOwn && memory.length - this.#start - this.length >= more) return memory
    return this.#moveTo(memory, Math.max(FIRST_BYTES, (this.length + more) * 2))
  }

  #moveTo(memory: Buffer, capacity: number): Buffer {
    const moved = Buffer.allocUnsafeSlow(capacity)
    memory.copy(moved, 0, this.#start, this.#start + this.length)
    this.#start = 0
    this.#memory = moved
    this.#isOwn = true
    return moved
  }
}

const NONE = Buffer.alloc(0)

/** Smaller pieces are copied together: each buffer object takes far more memory than such a piece holds. */
export const LARGE_BYTES = 16 * 1024

const scratch = new Scratch()

/**
 * Frees the memory of bytes at the end of a buffer, when they are many. Without this it stays until the runtime collects
 * it. What stands before them is lost too, and what stands behind them belongs to others, so then nothing is freed.
 */
export function freeEnd({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (byteLength < LARGE_BYTES || byteOffset + byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Collects bytes that are needed only once all of them have arrived. Large pieces are copied once, at the end. */
export class GatheredBytes {
  length = 0
  readonly #small = new GrowingBytes()
  #pieces: Buffer[] = []

  add(bytes: Buffer): void {
    this.length += bytes.length
    if (bytes.length < LARGE_BYTES) {
      this.#small.add(bytes)
      if (this.#small.length >= LARGE_BYTES) this.#keepSmall()
      return
    }
    this.#keepSmall()
    this.#pieces.push(bytes)
  }

  /** Removes and returns all bytes. */
  take(): Buffer {
    this.#keepSmall()
    const pieces = this.#pieces
    this.#pieces = []
    this.length = 0
    const [first] = pieces
    return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
  }

  /** Removes all bytes and hands them to `read`, which must not keep them: their memory is freed or used again. */
  use<Result>(read: (bytes: Uint8Array) => Result): Result {
    this.#keepSmall()
    const pieces = this.#pieces
    const joined = pieces.length === 1 ? null : scratch.take(this.length)
    this.#pieces = []
    this.length = 0
    let end = 0
    if (joined !== null) {
      for (const piece of pieces) {
        joined.set(piece, end)
        end += piece.length
      }
    }
    try {
      return read(joined?.subarray(0, end) ?? pieces[0] ?? NONE)
    } finally {
      for (const piece of pieces) freeEnd(piece)
    }
  }

  #keepSmall(): void {
    if (this.#small.length > 0) this.#pieces.push(this.#small.take())
  }
}
