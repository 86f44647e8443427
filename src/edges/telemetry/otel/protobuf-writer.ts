const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

const FIRST_SIZE = 64 * 1024
// Room for a tag, a length and a number, beside texts and names, which are counted.
const MARGIN = 64
// The length of a message is known when it is complete. Four bytes hold up to 256 MB, and readers accept leading zeros.
const LENGTH_BYTES = 4
// Of what is written most often, before it is clear that it is longer.
const SHORT_LENGTH_BYTES = 1
// Its length fits in one byte.
const SHORT = 0x7f
const TWO_TO_32 = 2 ** 32
const TWO_TO_31 = 2 ** 31
const TWO_TO_16 = 2 ** 16

/** The values of hexadecimal digits in lower case, by their codes. */
const NIBBLES = new Uint8Array(128)
for (const [value, digit] of [...'0123456789abcdef'].entries()) NIBBLES[digit.charCodeAt(0)] = value

/** Writes messages of Protocol Buffers, front to back. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(FIRST_SIZE)
  // Asking the buffer for its length takes longer than writing a byte.
  #capacity = FIRST_SIZE
  #end = 0

  /** How many bytes were written since the last `take`. */
  get size(): number {
    return this.#end
  }

  /** Begins a message within this one. Takes what `close` needs to end it. */
  open(field: number): number {
    return this.#begin(field, LENGTH_BYTES)
  }

  close(begin: number): void {
    const bytes = this.#bytes
    const length = this.#end - begin
    bytes[begin - 4] = (length & 0x7f) | 0x80
    bytes[begin - 3] = ((length >>> 7) & 0x7f) | 0x80
    bytes[begin - 2] = ((length >>> 14) & 0x7f) | 0x80
    bytes[begin - 1] = length >>> 21
  }

  /** The same for a message that is probably short; end it with `closeShort`. */
  openShort(field: number): number {
    return this.#begin(field, SHORT_LENGTH_BYTES)
  }

  closeShort(begin: number): void {
    const length = this.#end - begin
    if (length <= SHORT) {
      this.#bytes[begin - SHORT_LENGTH_BYTES] = length
      return
    }
    const moved = LENGTH_BYTES - SHORT_LENGTH_BYTES
    this.#ensure(moved)
    this.#bytes.copyWithin(begin + moved, begin, this.#end)
    this.#end += moved
    this.close(begin + moved)
  }

  text(field: number, text: string): void {
    if (text.length <= SHORT && this.#shortText(field, text)) return
    const length = Buffer.byteLength(text)
    this.#ensure(length + MARGIN)
    this.#tag(field, BYTES)
    this.#varint(length)
    this.#bytes.write(text, this.#end, length)
    this.#end += length
  }

  /** Bytes that are given in hexadecimal digits. */
  hex(field: number, digits: string): void {
    const length = digits.length / 2
    this.#ensure(length + MARGIN)
    this.#tag(field, BYTES)
    this.#varint(length)
    const bytes = this.#bytes
    let end = this.#end
    for (let place = 0; place < digits.length; place += 2) {
      bytes[end] =
        ((NIBBLES[digits.charCodeAt(place)] ?? 0) << 4) | (NIBBLES[digits.charCodeAt(place + 1)] ?? 0)
      end += 1
    }
    this.#end = end
  }

  /** A whole number of at most 64 bits. */
  integer(field: number, value: number): void {
    this.#ensure(MARGIN)
    this.#tag(field, VARINT)
    if (value >= 0) this.#varint(value)
    else this.#negative(BigInt.asUintN(64, BigInt(value)))
  }

  double(field: number, value: number): void {
    this.#ensure(MARGIN)
    this.#tag(field, FIXED64)
    this.#end = this.#bytes.writeDoubleLE(value, this.#end)
  }

  fixed32(field: number, value: number): void {
    this.#ensure(MARGIN)
    this.#tag(field, FIXED32)
    this.#end = this.#bytes.writeUInt32LE(value, this.#end)
  }

  /** Nanoseconds since 1970, which are more than a number holds. */
  nanoseconds(field: number, seconds: number, nanoseconds: number): void {
    this.#ensure(MARGIN)
    this.#tag(field, FIXED64)
    const upper = Math.floor(seconds / TWO_TO_16) * 1e9
    const lower = (seconds % TWO_TO_16) * 1e9 + nanoseconds
    const low = (upper % TWO_TO_16) * TWO_TO_16 + (lower % TWO_TO_32)
    const high = Math.floor(upper / TWO_TO_16) + Math.floor(lower / TWO_TO_32) + Math.floor(low / TWO_TO_32)
    this.#end = this.#bytes.writeUInt32LE(low % TWO_TO_32, this.#end)
    this.#end = this.#bytes.writeUInt32LE(high, this.#end)
  }

  /** Bytes of whole fields, as `copyFrom` gave them. */
  raw(bytes: Uint8Array): void {
    this.#ensure(bytes.length)
    this.#bytes.set(bytes, this.#end)
    this.#end += bytes.length
  }

  /** A copy of what was written since the size was this. */
  copyFrom(size: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.subarray(size, this.#end))
  }

  /** What was written since the last call, as a copy. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.copyFrom(0)
    this.#end = 0
    return taken
  }

  #begin(field: number, lengthBytes: number): number {
    this.#ensure(MARGIN)
    this.#tag(field, BYTES)
    this.#end += lengthBytes
    return this.#end
  }

  #tag(field: number, wireType: number): void {
    const tag = (field << 3) | wireType
    if (tag > SHORT) {
      this.#varint(tag)
      return
    }
    this.#bytes[this.#end] = tag
    this.#end += 1
  }

  /** Most texts are short and of ASCII: a loop is several times faster than two calls into the runtime. */
  #shortText(field: number, text: string): boolean {
    const { length } = text
    this.#ensure(length + MARGIN)
    const before = this.#end
    this.#tag(field, BYTES)
    const bytes = this.#bytes
    let end = this.#end
    bytes[end] = length
    for (let place = 0; place < length; place += 1) {
      const code = text.charCodeAt(place)
      if (code > 0x7f) {
        this.#end = before
        return false
      }
      end += 1
      bytes[end] = code
    }
    this.#end = end + 1
    return true
  }

  #varint(value: number): void {
    const bytes = this.#bytes
    let end = this.#end
    let rest = value
    // Shifting takes 32 bits.
    while (rest >= TWO_TO_31) {
      bytes[end] = (rest % 0x80) | 0x80
      end += 1
      rest = Math.floor(rest / 0x80)
    }
    while (rest > 0x7f) {
      bytes[end] = (rest & 0x7f) | 0x80
      end += 1
      rest >>>= 7
    }
    bytes[end] = rest
    this.#end = end + 1
  }

  #negative(complement: bigint): void {
    let rest = complement
    while (rest > 0x7fn) {
      this.#bytes[this.#end] = Number(rest & 0x7fn) | 0x80
      this.#end += 1
      rest >>= 7n
    }
    this.#bytes[this.#end] = Number(rest)
    this.#end += 1
  }

  #ensure(room: number): void {
    const needed = this.#end + room
    if (needed > this.#capacity) this.#grow(needed)
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#capacity * 2))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
    this.#capacity = larger.length
  }
}
