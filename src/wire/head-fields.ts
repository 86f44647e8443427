import type { HeaderFields } from './http-answer.ts'

const BLANK = 0x20
const TAB = 0x09
const COLON = 0x3a
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const ZERO = 0x30
// Beyond this, a number would lose precision.
const MAX_DIGITS = 15

/**
 * The headers of an HTTP/1.1 message, kept as bytes. Of a dozen headers two or three are read, and decoding the others
 * would cost more than the rest of parsing the head.
 */
export class HeadFields implements HeaderFields {
  readonly fieldCount: number
  readonly #bytes: Buffer
  /** The index of each name and colon, and at the end the index where another header would begin. */
  readonly #places: readonly number[]
  /** Where the value of the header that `#find` found last begins and ends. */
  #start = 0
  #end = 0

  /**
   * Finds the headers from the end of the first line to the empty line.
   *
   * Every line must have a name, a colon and a value. Bare line breaks and lines that begin with white space are
   * refused, because parsers disagree on what they mean. Throws MalformedMessage.
   */
  constructor(bytes: Buffer, from: number, end: number) {
    const places: number[] = []
    let lineEnd = from
    while (lineEnd < end) {
      if (bytes[lineEnd] !== CARRIAGE_RETURN || bytes[lineEnd + 1] !== LINE_FEED) throw malformed()
      const name = lineEnd + 2
      let colon = name
      while (colon < end && IS_NAME_BYTE[bytes[colon] ?? 0] === 1) colon++
      if (colon === name || colon === end || bytes[colon] !== COLON) throw malformed()
      places.push(name, colon)
      lineEnd = endOfText(bytes, colon + 1, end)
    }
    this.fieldCount = places.length / 2
    places.push(end + 2)
    this.#bytes = bytes
    this.#places = places
  }

  /** The values of a repeated header are joined. */
  get(name: string): string | null {
    let found: string | null = null
    for (let field = this.#find(name, 0); field >= 0; field = this.#find(name, field + 2)) {
      const value = this.#bytes.toString('latin1', this.#start, this.#end)
      found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`
    }
    return found
  }

  /**
   * The value of a numeric header, read without decoding it to a string; null when the header is absent, NaN when it is
   * repeated, not a number, or too long to be exact.
   */
  digits(name: string): number | null {
    const field = this.#find(name, 0)
    if (field < 0) return null
    if (this.#find(name, field + 2) >= 0) return Number.NaN
    const length = this.#end - this.#start
    if (length === 0 || length > MAX_DIGITS) return Number.NaN
    let value = 0
    for (let at = this.#start; at < this.#end; at++) {
      const digit = (this.#bytes[at] ?? 0) - ZERO
      if (digit < 0 || digit > 9) return Number.NaN
      value = value * 10 + digit
    }
    return value
  }

  /**
   * Whether a header's value consists of marked bytes only; null when the header is absent, false when it is repeated.
   */
  consistsOf(name: string, marked: Uint8Array): boolean | null {
    const field = this.#find(name, 0)
    if (field < 0) return null
    if (this.#find(name, field + 2) >= 0) return false
    for (let at = this.#start; at < this.#end; at++) {
      if (marked[this.#bytes[at] ?? 0] !== 1) return false
    }
    return true
  }

  has(name: string): boolean {
    return this.#find(name, 0) >= 0
  }

  forEach(visit: (value: string, name: string) => void): void {
    this.forEachNamed('', visit)
  }

  forEachNamed(part: string, visit: (value: string, name: string) => void): void {
    const bytes = this.#bytes
    for (let field = 0; field < this.#places.length - 1; field += 2) {
      const start = this.#places[field] ?? 0
      const colon = this.#places[field + 1] ?? 0
      let at = start
      while (at <= colon - part.length && !isAt(bytes, at, part)) at++
      if (at > colon - part.length) continue
      this.#trim(field)
      visit(
        bytes.toString('latin1', this.#start, this.#end),
        bytes.toString('latin1', start, colon).toLowerCase(),
      )
    }
  }

  /** The next header with this name; -1 when there is none. */
  #find(name: string, from: number): number {
    const places = this.#places
    for (let field = from; field < places.length - 1; field += 2) {
      const start = places[field] ?? 0
      if ((places[field + 1] ?? 0) - start !== name.length || !isAt(this.#bytes, start, name)) continue
      this.#trim(field)
      return field
    }
    return -1
  }

  /** Finds the value of a header, without the blanks around it. */
  #trim(field: number): void {
    const bytes = this.#bytes
    let start = (this.#places[field + 1] ?? 0) + 1
    let end = (this.#places[field + 2] ?? 0) - 2
    while (start < end && (bytes[start] === BLANK || bytes[start] === TAB)) start++
    while (start < end && (bytes[end - 1] === BLANK || bytes[end - 1] === TAB)) end--
    this.#start = start
    this.#end = end
  }
}

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'

/** A table that marks letters, digits, the underscore and these other characters with 1. */
export function markBytes(others: string): Uint8Array {
  const marked = new Uint8Array(256)
  for (const byte of Buffer.from(LETTERS_AND_DIGITS + others, 'latin1')) marked[byte] = 1
  return marked
}

const IS_NAME_BYTE = markBytes("!#$%&'*+.^`|~-")

/** The index of the first line break or NUL byte, or `end`. */
export function endOfText(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end) {
    const byte = bytes[at]
    if (byte === CARRIAGE_RETURN || byte === LINE_FEED || byte === 0) break
    at++
  }
  return at
}

/** Compares without regard to case; `text` must be in lower case. */
function isAt(bytes: Buffer, place: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const byte = bytes[place + index] ?? 0
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
    if (lower !== text.charCodeAt(index)) return false
  }
  return true
}

function malformed(): MalformedMessage {
  return new MalformedMessage('The head is malformed.')
}

/** An HTTP/1.1 message that is malformed, or whose end is ambiguous. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

/** The characters allowed in a header name. */
export const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/** Anything but printable ASCII in a header value. A line break in a value could start a second message. */
export const NOT_PLAIN = /[^\t\x20-\x7e]/

/** Whether the client accepts an encoding: it is listed, and its weight is not zero. */
export function acceptsEncoding(headers: Pick<HeaderFields, 'get'>, encoding: string): boolean {
  const wanted = (headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  return wanted.some((item) => {
    const [name, weight = ''] = item.split(';').map((part) => part.trim())
    return name === encoding && !/^q=0(\.0*)?$/.test(weight)
  })
}
