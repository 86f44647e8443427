const FIRST_BYTES = 4_096
// Memory that was used once and is held only because what comes after it is still wanted.
const MAX_SLACK_BYTES = 64 * 1024

/**
 * Bytes that come one after the other. What comes in one piece stays the piece it is; the rest is copied together, since
 * many small pieces would take more memory, or more time to join again and again, than what they hold. Memory is only
 * ever appended to, so what was handed out stays as it is.
 */
export class GrowingBytes {
  #memory: Buffer | null = null
  #start = 0
  #end = 0
  #isOwn = false

  get length(): number {
    return this.#end - this.#start
  }

  /** How much memory is held for them. */
  get capacity(): number {
    return this.#memory?.length ?? 0
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return
    if (this.#memory === null) {
      this.#memory = bytes
      this.#isOwn = false
    } else this.#makeRoom(this.#memory, bytes.length).set(bytes, this.#end)
    this.#end += bytes.length
  }

  /** All of them, which stay here. */
  peek(): Buffer {
    const all = this.#memory ?? NONE
    return all.length === this.length ? all : all.subarray(this.#start, this.#end)
  }

  /** All of them; from here on there are none. */
  take(): Buffer {
    const taken = this.peek()
    this.#forget()
    return taken
  }

  /** Lets go of the first ones. */
  drop(count: number): void {
    if (count >= this.length) {
      this.#forget()
      return
    }
    this.#start += count
    if (this.#memory !== null && this.#start > MAX_SLACK_BYTES) this.#moveTo(this.#memory, this.length)
  }

  #forget(): void {
    this.#memory = null
    this.#start = 0
    this.#end = 0
  }

  #makeRoom(memory: Buffer, more: number): Buffer {
    if (this.#isOwn && memory.length - this.#end >= more) return memory
    return this.#moveTo(memory, Math.max(FIRST_BYTES, (this.length + more) * 2))
  }

  #moveTo(memory: Buffer, capacity: number): Buffer {
    const moved = Buffer.allocUnsafeSlow(capacity)
    memory.copy(moved, 0, this.#start, this.#end)
    this.#end = this.length
    this.#start = 0
    this.#memory = moved
    this.#isOwn = true
    return moved
  }
}

const NONE = Buffer.alloc(0)

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
