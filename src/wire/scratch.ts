// Most prompts of agents fit. Memory for longer ones is not kept.
const MAX_KEPT_BYTES = 2 * 1024 * 1024

/** Memory that is used for a moment and then again: new memory costs as much as copying into it. */
export class Scratch {
  #memory: Buffer | null = null

  /** At least so many bytes, which are others' at the next call. */
  take(bytes: number): Buffer {
    if (bytes > MAX_KEPT_BYTES) return Buffer.allocUnsafeSlow(bytes)
    if (this.#memory === null || this.#memory.length < bytes)
      this.#memory = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(Math.max(1, bytes))))
    return this.#memory
  }
}
