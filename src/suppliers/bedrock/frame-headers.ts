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
