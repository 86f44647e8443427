import type { HeaderFields } from './http-answer.ts'

const BLANK = 0x20
const TAB = 0x09
const COLON = 0x3a
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const ZERO = 0x30
// With more, neighbouring numbers would be one and the same.
const MAX_DIGITS = 15

/**
 * The fields of an HTTP/1.1 head. They stay the bytes they came as: of a dozen, two or three are ever looked at, and
 * making texts of the others would cost more than the rest of reading a head.
 */
export class HeadFields implements HeaderFields {
  readonly #bytes: Buffer
  /** As `findFields` has found them. */
  readonly #places: readonly number[]

  /** From where the first line ends to where the empty line begins. Throws MalformedMessage when these are no fields. */
  constructor(bytes: Buffer, from: number, end: number) {
    this.#bytes = bytes
    this.#places = findFields(bytes, from, end)
  }

  get fieldCount(): number {
    return (this.#places.length - 1) / 2
  }

  /** A field that occurs several times is one whose value is a list. */
  get(name: string): string | null {
    let found: string | null = null
    for (let field = this.#find(name, 0); field >= 0; field = this.#find(name, field + 2)) {
      const value = this.#valueOf(field)
      found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`
    }
    return found
  }

  /**
   * The value of a field that is nothing but digits, read without making a text of it; null when there is no such field,
   * NaN when it occurs more than once, is something else, or has more digits than a number keeps.
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
   * Whether the value of a field has no other bytes than those marked here; null when there is no such field. A field
   * that occurs several times has commas and blanks in its value.
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

  /** The next field of this name; -1 when there is none. */
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
 * Where the fields are: for each the place of its name and of its colon, and after the last where another would be.
 *
 * Lines are whole, with a name, a colon and a value. A stray line break ends a line for some readers and not for
 * others, and a line that begins with a blank goes on with the one before for some readers: neither is taken.
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

/** A table in which letters, digits, the underscore and these other characters are marked with 1. */
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

/** Where something stands that belongs into no line: its end, or what must not be there. */
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

/** Whether these small letters, in whatever case, are at this place. */
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

/** What was sent is no HTTP/1.1 message that can be trusted to end where it seems to. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

/** What the name of a field may be made of. */
export const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/** In a value: anything but plain text. Whoever could put a line break into one could write a second message. */
export const NOT_PLAIN = /[^\t\x20-\x7e]/
