import { crc32 } from 'node:zlib'

/** One message of AWS's event-stream framing. */
export interface Frame {
  /** Only those whose value is text; no other kind carries anything a model's stream needs. */
  readonly headers: ReadonlyMap<string, string>
  readonly payload: Uint8Array
}

// Total length, length of the headers, and a checksum of the two; another checksum closes the frame.
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
const LONGEST_HEADERS_BYTES = 128 * 1024
const LONGEST_PAYLOAD_BYTES = 24 * 1024 * 1024
const LONGEST_FRAME_BYTES = PRELUDE_BYTES + LONGEST_HEADERS_BYTES + LONGEST_PAYLOAD_BYTES + CHECKSUM_BYTES

/** Cuts bytes that arrive in any portions into frames. Throws when they are not what their checksums say. */
export class FrameDecoder {
  #chunks: Uint8Array[] = []
  #length = 0
  /** Below this many bytes nothing can be read, so that a long frame is put together once and not per portion. */
  #needed = PRELUDE_BYTES

  push(bytes: Uint8Array): Frame[] {
    this.#chunks.push(bytes)
    this.#length += bytes.length
    return this.#length < this.#needed ? [] : this.#cut(this.#join())
  }

  /** Throws when the bytes ended in the middle of a frame. */
  end(): void {
    if (this.#length > 0) throw new Error('the event stream ended in the middle of a frame')
  }

  #join(): Uint8Array {
    const [only, ...more] = this.#chunks
    return only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks)
  }

  #cut(bytes: Uint8Array): Frame[] {
    const frames: Frame[] = []
    let rest = bytes
    this.#needed = neededFor(rest)
    while (rest.length >= this.#needed) {
      frames.push(readFrame(rest.subarray(0, this.#needed)))
      rest = rest.subarray(this.#needed)
      this.#needed = neededFor(rest)
    }
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#length = rest.length
    return frames
  }
}

/** The length of the frame that begins here; that of a prelude while not even this has arrived. */
function neededFor(bytes: Uint8Array): number {
  if (bytes.length < PRELUDE_BYTES) return PRELUDE_BYTES
  const view = viewOf(bytes)
  // Checked first: a length that is wrong would make us wait for bytes that never come.
  checkSum(bytes.subarray(0, 8), view.getUint32(8), 'prelude')
  const length = view.getUint32(0)
  const headersLength = view.getUint32(4)
  const isPossible =
    headersLength <= LONGEST_HEADERS_BYTES &&
    length >= PRELUDE_BYTES + headersLength + CHECKSUM_BYTES &&
    length <= LONGEST_FRAME_BYTES
  if (!isPossible) throw new Error('the event stream has a frame of an impossible length')
  return length
}

function readFrame(bytes: Uint8Array): Frame {
  const view = viewOf(bytes)
  const end = bytes.length - CHECKSUM_BYTES
  checkSum(bytes.subarray(0, end), view.getUint32(end), 'frame')
  const payloadStart = PRELUDE_BYTES + view.getUint32(4)
  return {
    headers: readFrameHeaders(bytes.subarray(PRELUDE_BYTES, payloadStart)),
    payload: bytes.subarray(payloadStart, end),
  }
}

function checkSum(bytes: Uint8Array, expected: number, what: string): void {
  if (crc32(bytes) !== expected) throw new Error(`the event stream has a ${what} with a wrong checksum`)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

const TEXT = 7
/** Bytes of a value by its kind; kinds 6 (bytes) and 7 (text) begin with their length instead. */
const FIXED_LENGTHS: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
])

const decoder = new TextDecoder()

/** The headers of a frame whose value is text. Throws when they do not fill their bytes exactly. */
export function readFrameHeaders(bytes: Uint8Array): ReadonlyMap<string, string> {
  const reader = new HeaderReader(bytes)
  const headers = new Map<string, string>()
  while (!reader.isAtEnd) {
    const name = decoder.decode(reader.take(reader.takeByte()))
    const kind = reader.takeByte()
    const value = reader.take(FIXED_LENGTHS.get(kind) ?? reader.takeLengthOf(kind))
    if (kind === TEXT) headers.set(name, decoder.decode(value))
  }
  return headers
}

class HeaderReader {
  readonly #bytes: Uint8Array
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length
  }

  take(length: number): Uint8Array {
    const start = this.#position
    this.#position += length
    if (this.#position > this.#bytes.length) throw new Error('the event stream has a header without end')
    return this.#bytes.subarray(start, this.#position)
  }

  takeByte(): number {
    return this.take(1)[0] ?? 0
  }

  takeLengthOf(kind: number): number {
    if (kind !== 6 && kind !== TEXT) throw new Error('the event stream has a header of an unknown kind')
    return this.takeByte() * 256 + this.takeByte()
  }
}
