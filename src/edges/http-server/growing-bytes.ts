const FIRST_BYTES = 4_096

/**
 * Bytes that come one after the other. What comes in one piece stays the piece it is; the rest is copied together, since
 * many small pieces would take more memory, or more time to join again and again, than what they hold.
 */
export class GrowingBytes {
  #memory: Buffer | null = null
  #length = 0
  #isOwn = false

  get length(): number {
    return this.#length
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return
    if (this.#memory === null) {
      this.#memory = bytes
      this.#isOwn = false
    } else this.#makeRoom(this.#memory, this.#length + bytes.length).set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** All of them; from here on there are none. */
  take(): Buffer {
    const all = this.#memory ?? NONE
    const isFull = all.length === this.#length
    const taken = isFull ? all : all.subarray(0, this.#length)
    this.#memory = null
    this.#length = 0
    return taken
  }

  #makeRoom(memory: Buffer, needed: number): Buffer {
    if (this.#isOwn && memory.length >= needed) return memory
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, needed * 2))
    memory.copy(larger, 0, 0, this.#length)
    this.#memory = larger
    this.#isOwn = true
    return larger
  }
}

const NONE = Buffer.alloc(0)
