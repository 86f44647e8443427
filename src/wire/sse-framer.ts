const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const MIN_BUFFER_BYTES = 4096
/** A larger buffer is released after its event, so that one huge event does not stay in memory. */
const MAX_KEPT_BUFFER_BYTES = 256 * 1024
/** Larger than any image in a single event. */
export const MAX_EVENT_BYTES = 64 * 1024 * 1024

/** An endless event would fill the memory. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong'
  constructor() {
    super(`An event of the stream is longer than ${MAX_EVENT_BYTES} bytes.`)
  }
}

/** Whole events, back to back: event `i` spans from `ends[i - 1]` (0 for the first) to `ends[i]`. */
export interface FramedEvents {
  readonly bytes: Uint8Array
  /** Never empty; the last one is `bytes.length`. */
  readonly ends: readonly number[]
}

/**
 * Finds complete server-sent events in chunks of any size, without decoding them.
 *
 * An event is everything up to and including a blank line, so comments and stray blank lines are events too
 * and nothing is lost. Lines may end in LF, CRLF or CR. A CR at the end of a chunk is undecided until the next byte
 * arrives, since a LF after it belongs to the same line end.
 *
 * A chunk of complete events is returned as it is, without a copy. Throws EventTooLong.
 */
export class SseFramer {
  #buffer = new Uint8Array(0)
  #length = 0
  /** The buffer has been searched for line ends up to here. */
  #searchedTo = 0
  #lineStart = 0

  /** Bytes of an unfinished event. */
  get pendingLength(): number {
    return this.#length
  }

  /** The events that this chunk completes; null when none. */
  push(chunk: Uint8Array): FramedEvents | null {
    return this.#length === 0 ? this.#frameChunk(chunk) : this.#frameBuffered(chunk)
  }

  /** The bytes after the last complete event; null when there are none. */
  finish(): Uint8Array | null {
    if (this.#length === 0) return null
    const rest = this.#buffer.slice(0, this.#length)
    this.#drop(this.#length)
    return rest
  }

  #frameChunk(chunk: Uint8Array): FramedEvents | null {
    const ends = this.#search(chunk)
    const wholeLength = ends.at(-1) ?? 0
    if (wholeLength === chunk.length) return wholeLength === 0 ? null : this.#giveAll(chunk, ends)
    this.#append(chunk.subarray(wholeLength))
    this.#rebase(wholeLength)
    return wholeLength === 0 ? null : { bytes: chunk.subarray(0, wholeLength), ends }
  }

  #giveAll(chunk: Uint8Array, ends: readonly number[]): FramedEvents {
    this.#searchedTo = 0
    this.#lineStart = 0
    return { bytes: chunk, ends }
  }

  #frameBuffered(chunk: Uint8Array): FramedEvents | null {
    this.#append(chunk)
    const ends = this.#search(this.#buffer.subarray(0, this.#length))
    const wholeLength = ends.at(-1)
    if (wholeLength === undefined) return null
    const bytes = this.#buffer.slice(0, wholeLength)
    this.#drop(wholeLength)
    return { bytes, ends }
  }

  /** The end of every event in `bytes`, going on from where the last search stopped. */
  #search(bytes: Uint8Array): number[] {
    const ends: number[] = []
    let lineFeed = indexOrEnd(bytes, LINE_FEED, this.#searchedTo)
    let carriageReturn = indexOrEnd(bytes, CARRIAGE_RETURN, this.#searchedTo)
    for (;;) {
      const lineEnd = Math.min(lineFeed, carriageReturn)
      const isUndecided = lineEnd === carriageReturn && lineEnd + 1 >= bytes.length
      if (lineEnd === bytes.length || isUndecided) {
        this.#searchedTo = lineEnd
        return ends
      }
      const next = lineEnd === carriageReturn && bytes[lineEnd + 1] === LINE_FEED ? lineEnd + 2 : lineEnd + 1
      if (lineEnd === this.#lineStart) ends.push(next)
      this.#lineStart = next
      if (lineFeed < next) lineFeed = indexOrEnd(bytes, LINE_FEED, next)
      if (carriageReturn < next) carriageReturn = indexOrEnd(bytes, CARRIAGE_RETURN, next)
    }
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length
    if (needed > MAX_EVENT_BYTES) throw new EventTooLong()
    if (needed > this.#buffer.length) {
      // Doubling keeps a huge event that arrives in small pieces linear.
      const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2, MIN_BUFFER_BYTES))
      grown.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = grown
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = needed
  }

  #drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#length)
    this.#length -= count
    this.#rebase(count)
    if (this.#length === 0 && this.#buffer.length > MAX_KEPT_BUFFER_BYTES) this.#buffer = new Uint8Array(0)
  }

  #rebase(count: number): void {
    this.#searchedTo = Math.max(0, this.#searchedTo - count)
    this.#lineStart = Math.max(0, this.#lineStart - count)
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index === -1 ? bytes.length : index
}
