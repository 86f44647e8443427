import type { Readable } from 'node:stream'

/** Knows how far the parts of a body have been taken, so that no more of it is read than can be put down. */
export class PartFlow {
  readonly #streams: Readable[] = []
  /** Pieces that somebody has in hand. */
  #taken = 0
  #onProgress: (() => void) | null = null
  #hasStopped = false

  get hasStopped(): boolean {
    return this.#hasStopped
  }

  async *read(stream: Readable): AsyncGenerator<Uint8Array, void> {
    this.#streams.push(stream)
    // Whoever reads the content is told as well; without a listener the process would end.
    stream.on('error', () => undefined)
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      this.#taken += 1
      try {
        yield piece
      } finally {
        this.#taken -= 1
        this.#onProgress?.()
      }
    }
  }

  /** Resolves when everything that has come so far has been taken, or all reading has ended. */
  async settle(): Promise<void> {
    while (!this.#hasStopped && this.#isBehind()) {
      await new Promise<void>((resolve) => {
        this.#onProgress = resolve
      })
    }
  }

  /** Ends all reading. */
  stop(): void {
    this.#hasStopped = true
    for (const stream of this.#streams) stream.destroy()
    this.#onProgress?.()
  }

  #isBehind(): boolean {
    return this.#taken > 0 || this.#streams.some(({ readableLength }) => readableLength > 0)
  }
}
