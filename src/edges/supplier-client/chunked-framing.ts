import type { BodyFraming } from './body-framing.ts'
import { MalformedResponse } from './response-head.ts'

// Sizes, their extensions and what comes after the last chunk: nobody needs more of these.
const LONGEST_LINE_BYTES = 4_096
const MOST_TRAILER_BYTES = 16_384

const LINE_FEED = 0x0a
const SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\0\r\n]*)?\r\n$/i

/** A body in chunks, each with its size before it. Strict about line breaks: a lenient reader can be told two stories. */
export class ChunkedFraming implements BodyFraming {
  readonly endsWithConnection = false
  isComplete = false
  #state: 'size' | 'data' | 'gap' | 'trailer' = 'size'
  #line = ''
  #left = 0
  #trailerBytes = 0

  push(bytes: Uint8Array, give: (bytes: Uint8Array) => void): number {
    let at = 0
    while (at < bytes.length && !this.isComplete) {
      at = this.#state === 'data' ? this.#takeData(bytes, at, give) : this.#takeLine(bytes, at)
    }
    return at
  }

  #takeData(bytes: Uint8Array, from: number, give: (bytes: Uint8Array) => void): number {
    const end = Math.min(bytes.length, from + this.#left)
    this.#left -= end - from
    if (this.#left === 0) this.#state = 'gap'
    give(bytes.subarray(from, end))
    return end
  }

  #takeLine(bytes: Uint8Array, from: number): number {
    const feed = bytes.indexOf(LINE_FEED, from)
    const end = feed < 0 ? bytes.length : feed + 1
    if (this.#line.length + (end - from) > LONGEST_LINE_BYTES) throw broken()
    const line = this.#line + latin1(bytes, from, end)
    this.#line = feed < 0 ? line : ''
    if (feed >= 0) this.#endLine(line)
    return end
  }

  #endLine(line: string): void {
    switch (this.#state) {
      case 'size':
        this.#beginChunk(line)
        break
      case 'gap':
        if (line !== '\r\n') throw broken()
        this.#state = 'size'
        break
      default:
        this.#skipTrailer(line)
    }
  }

  #beginChunk(line: string): void {
    const digits = SIZE.exec(line)?.[1]
    if (digits === undefined) throw broken()
    this.#left = Number.parseInt(digits, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'data'
  }

  #skipTrailer(line: string): void {
    this.#trailerBytes += line.length
    if (!line.endsWith('\r\n') || this.#trailerBytes > MOST_TRAILER_BYTES) throw broken()
    this.isComplete = line === '\r\n'
  }
}

function broken(): MalformedResponse {
  return new MalformedResponse('The chunks of the response are broken.')
}

function latin1(bytes: Uint8Array, from: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('latin1')
}
