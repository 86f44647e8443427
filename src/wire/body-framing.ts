import { MalformedMessage } from './head-fields.ts'

/** Receives a body as it arrives. */
export interface BodyTaker {
  takeBody(bytes: Buffer): void
}

/** Where the body of an HTTP/1.1 message ends. */
export interface BodyFraming {
  readonly isComplete: boolean
  /** Passes on the bytes of the body. Returns how many bytes belong to this message. */
  push(bytes: Buffer, taker: BodyTaker): number
  /** Whether closing the connection ends the body. */
  readonly endsWithConnection: boolean
}

/** A body with a content-length. */
export class LengthFraming implements BodyFraming {
  readonly endsWithConnection = false
  isComplete: boolean
  #left: number

  constructor(length: number) {
    this.#left = length
    this.isComplete = length === 0
  }

  push(bytes: Buffer, taker: BodyTaker): number {
    const taken = Math.min(bytes.length, this.#left)
    this.#left -= taken
    this.isComplete = this.#left === 0
    if (taken > 0) taker.takeBody(taken === bytes.length ? bytes : bytes.subarray(0, taken))
    return taken
  }
}

// Limits for chunk sizes with their extensions, and for trailers: far beyond what real messages use.
const MAX_LINE_BYTES = 4_096
const MAX_TRAILER_BYTES = 16_384

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
/** The value of each byte as a hexadecimal digit; -1 when it is none. */
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return /[0-9a-f]/i.test(character) ? Number.parseInt(character, 16) : -1
})
// Digits of a chunk size: beyond any body, and still an exact number.
const MAX_SIZE_DIGITS = 12
const TRAILER = /^[\w!#$%&'*+.^`|~-]+:[^\0\r\n]*\r\n$/
const SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\0\r\n]*)?\r\n$/i

// Up to here the runtime keeps bytes beside their object, where a copy takes a quarter of the time of a view.
const SMALL_BYTES = 1_000

function partOf(bytes: Buffer, start: number, end: number): Buffer {
  if (end - start > SMALL_BYTES) return bytes.subarray(start, end)
  const part = Buffer.allocUnsafeSlow(end - start)
  bytes.copy(part, 0, start, end)
  return part
}

/** A chunked body. Strict about line breaks: lenient parsers disagree, which allows request smuggling. */
export class ChunkedFraming implements BodyFraming {
  readonly endsWithConnection = false
  isComplete = false
  #state: 'size' | 'data' | 'gap' | 'trailer' = 'size'
  #line = ''
  #left = 0
  #trailerBytes = 0

  push(bytes: Buffer, taker: BodyTaker): number {
    let at = 0
    while (at < bytes.length && !this.isComplete) {
      if (this.#state !== 'data') at = this.#takePlainLine(bytes, at) ?? this.#takeAnyLine(bytes, at)
      else {
        const end = Math.min(bytes.length, at + this.#left)
        this.#left -= end - at
        if (this.#left === 0) this.#state = 'gap'
        taker.takeBody(partOf(bytes, at, end))
        at = end
      }
    }
    return at
  }

  /** Reads a bare size or an empty line without decoding it to a string. Nearly every line is one of these. */
  #takePlainLine(bytes: Buffer, from: number): number | null {
    if (this.#line !== '') return null
    let at = from
    let size = 0
    while (at - from < MAX_SIZE_DIGITS && at < bytes.length) {
      const digit = HEX_DIGITS[bytes[at] ?? 0] ?? -1
      if (digit < 0) break
      size = size * 16 + digit
      at += 1
    }
    const hasSize = at > from
    if (bytes[at] !== CARRIAGE_RETURN || bytes[at + 1] !== LINE_FEED) return null
    if (hasSize !== (this.#state === 'size')) return null
    if (hasSize) this.#beginChunk(size)
    else if (this.#state === 'trailer') this.isComplete = true
    else this.#state = 'size'
    return at + 2
  }

  #takeAnyLine(bytes: Buffer, from: number): number {
    const feed = bytes.indexOf(LINE_FEED, from)
    const end = feed < 0 ? bytes.length : feed + 1
    if (this.#line.length + (end - from) > MAX_LINE_BYTES) throw broken()
    const line = this.#line + bytes.toString('latin1', from, end)
    this.#line = feed < 0 ? line : ''
    if (feed >= 0) this.#endLine(line)
    return end
  }

  #endLine(line: string): void {
    switch (this.#state) {
      case 'size':
        this.#beginChunk(readSize(line))
        break
      case 'gap':
        if (line !== '\r\n') throw broken()
        this.#state = 'size'
        break
      default:
        this.#skipTrailer(line)
    }
  }

  #beginChunk(size: number): void {
    this.#left = size
    this.#state = size === 0 ? 'trailer' : 'data'
  }

  #skipTrailer(line: string): void {
    this.#trailerBytes += line.length
    this.isComplete = line === '\r\n'
    if (this.isComplete) return
    if (!TRAILER.test(line) || this.#trailerBytes > MAX_TRAILER_BYTES) throw broken()
  }
}

function readSize(line: string): number {
  const digits = SIZE.exec(line)?.[1]
  if (digits === undefined) throw broken()
  return Number.parseInt(digits, 16)
}

function broken(): MalformedMessage {
  return new MalformedMessage('The chunked body is broken.')
}
