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
  readonly #bytes: Buffer
  /** The result of `findFields`. */
  readonly #places: readonly number[]

  /** From the end of the first line to the empty line. Throws MalformedMessage. */
  constructor(bytes: Buffer, from: number, end: number) {
    this.#bytes = bytes
    this.#places = findFields(bytes, from, end)
  }

  get fieldCount(): number {
    return (this.#places.length - 1) / 2
  }

  /** The values of a repeated header are joined. */
  get(name: string): string | null {
    let found: string | null = null
    for (let field = this.#find(name, 0); field >= 0; field = this.#find(name, field + 2)) {
      const value = this.#valueOf(field)
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
    const start = this.#startOf(field)
    const end = this.#endOf(field, start)
    if (start === end || end - start > MAX_DIGITS) return Number.NaN
    let value = 0
    for (let at = start; at < end; at++) {
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
    const start = this.#startOf(field)
    const end = this.#endOf(field, start)
    for (let at = start; at < end; at++) if (marked[this.#bytes[at] ?? 0] !== 1) return false
    return true
  }

  has(name: string): boolean {
    return this.#find(name, 0) >= 0
  }

  forEach(visit: (value: string, name: string) => void): void {
    this.forEachNamed('', visit)
  }

  forEachNamed(part: string, visit: (value: string, name: string) => void): void {
    for (let field = 0; field < this.#places.length - 1; field += 2) {
      const start = this.#place(field)
      const colon = this.#place(field + 1)
      if (!isWithin(this.#bytes, { start, end: colon }, part)) continue
      visit(this.#valueOf(field), this.#bytes.toString('latin1', start, colon).toLowerCase())
    }
  }

  /** The next header with this name; -1 when there is none. */
  #find(name: string, from: number): number {
    for (let field = from; field < this.#places.length - 1; field += 2) {
      const start = this.#place(field)
      if (this.#place(field + 1) - start === name.length && isAt(this.#bytes, start, name)) return field
    }
    return -1
  }

  #valueOf(field: number): string {
    const start = this.#startOf(field)
    return this.#bytes.toString('latin1', start, this.#endOf(field, start))
  }

  /** Where the value of a field begins, behind the blanks before it. */
  #startOf(field: number): number {
    const end = this.#place(field + 2) - 2
    let start = this.#place(field + 1) + 1
    while (start < end && isBlank(this.#bytes[start])) start++
    return start
  }

  #endOf(field: number, start: number): number {
    let end = this.#place(field + 2) - 2
    while (end > start && isBlank(this.#bytes[end - 1])) end--
    return end
  }

  #place(index: number): number {
    return this.#places[index] ?? 0
  }
}

/**
 * Finds the headers: the index of each name and colon, and at the end the index where another header would begin.
 *
 * Every line must have a name, a colon and a value. Bare line breaks and lines that begin with white space are refused,
 * because parsers disagree on what they mean.
 */
function findFields(bytes: Buffer, from: number, end: number): number[] {
  const places: number[] = []
  let lineEnd = from
  while (lineEnd < end) {
    if (bytes[lineEnd] !== CARRIAGE_RETURN || bytes[lineEnd + 1] !== LINE_FEED) throw malformed()
    const name = lineEnd + 2
    const colon = endOfName(bytes, name, end)
    if (colon === name || colon === end || bytes[colon] !== COLON) throw malformed()
    places.push(name, colon)
    lineEnd = endOfText(bytes, colon + 1, end)
  }
  places.push(end + 2)
  return places
}

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'

/** A table that marks letters, digits, the underscore and these other characters with 1. */
export function markBytes(others: string): Uint8Array {
  const marked = new Uint8Array(256)
  for (const byte of Buffer.from(LETTERS_AND_DIGITS + others, 'latin1')) marked[byte] = 1
  return marked
}

const IS_NAME_BYTE = markBytes("!#$%&'*+.^`|~-")

function endOfName(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && IS_NAME_BYTE[bytes[at] ?? 0] === 1) at++
  return at
}

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

function isWithin(bytes: Buffer, { start, end }: { start: number; end: number }, part: string): boolean {
  for (let at = start; at <= end - part.length; at++) if (isAt(bytes, at, part)) return true
  return false
}

/** Compares without regard to case; `text` must be in lower case. */
function isAt(bytes: Buffer, place: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (inLowerCase(bytes[place + index] ?? 0) !== text.charCodeAt(index)) return false
  }
  return true
}

function inLowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === TAB
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
