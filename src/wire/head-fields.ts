import type { HeaderFields } from './http-answer.ts'
import { MalformedMessage } from './malformed-message.ts'

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
    const bytes = this.#bytes
    let at = this.#place(field + 1) + 1
    let end = this.#place(field + 2) - 2
    while (at < end && isBlank(bytes[at])) at++
    while (end > at && isBlank(bytes[end - 1])) end--
    if (at === end || end - at > MAX_DIGITS) return Number.NaN
    let value = 0
    for (; at < end; at++) {
      const digit = (bytes[at] ?? 0) - ZERO
      if (digit < 0 || digit > 9) return Number.NaN
      value = value * 10 + digit
    }
    return value
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
    const bytes = this.#bytes
    let start = this.#place(field + 1) + 1
    let end = this.#place(field + 2) - 2
    while (start < end && isBlank(bytes[start])) start++
    while (end > start && isBlank(bytes[end - 1])) end--
    return bytes.toString('latin1', start, end)
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

const IS_NAME_BYTE = new Uint8Array(256)
for (const byte of Buffer.from(
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_!#$%&'*+.^`|~-",
)) {
  IS_NAME_BYTE[byte] = 1
}

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
