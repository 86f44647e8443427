import type { StreamShape } from '../address.ts'

/** How chunks are written one after another. */
export interface StreamFrames {
  chunk(value: object): string
  /** What follows the last chunk. */
  close(): string
}

export function framesOf(shape: StreamShape): StreamFrames {
  return shape === 'sse' ? SSE_FRAMES : new ListFrames()
}

// Clients of this format stumble over event names, comments and a last marker, so there is nothing but data.
const SSE_FRAMES: StreamFrames = {
  chunk: (value) => `data: ${JSON.stringify(value)}\n\n`,
  close: () => '',
}

/** One list that grows while it is read. */
class ListFrames implements StreamFrames {
  #isOpen = false

  chunk(value: object): string {
    const before = this.#isOpen ? ',\r\n' : '['
    this.#isOpen = true
    return `${before}${JSON.stringify(value)}`
  }

  close(): string {
    return this.#isOpen ? '\r\n]' : '[]'
  }
}
