import {
  endOfValue,
  type LongStrings,
  Quotes,
  readName,
  type Span,
  skipWhitespace,
} from '../../../../wire/json-members.ts'
import type { JsonObject } from '../../../../wire/json-values.ts'
import type { TextPieces } from '../../../../wire/pieced-body.ts'

// Below, finding the strings takes as long as writing them.
const MIN_TEXT_LENGTH = 8_192
const MIN_STRING_LENGTH = 256
// A stranger may send many different strings of the same length.
const MAX_TRIES = 4

/** A text whose value is known. */
export interface ParsedText {
  readonly text: string
  readonly value: unknown
  /** Of this text or another one. */
  readonly longStrings?: LongStrings | undefined
}

/**
 * Writes a body of plain data as `JSON.stringify` does. Its long strings are nearly always those of the client's body, and
 * are copied from the text of that: writing the escapes of a long prompt takes twice as long as parsing it.
 */
export function writeReusing(body: unknown, source: ParsedText): TextPieces {
  if (source.text.length < MIN_TEXT_LENGTH) return [JSON.stringify(body)]
  const known = new KnownStrings(source)
  return known.isEmpty ? [JSON.stringify(body)] : new ReusingWriter(known).write(body)
}

interface SameLength {
  readonly strings: FoundString[]
  /** The place after the last one that was used. */
  next: number
}

/** The strings of the client's body that take long to write. */
class KnownStrings {
  readonly #byLength = new Map<number, SameLength>()
  readonly #text: string

  constructor(source: ParsedText) {
    this.#text = source.text
    for (const found of findEscapedStrings(source, MIN_STRING_LENGTH)) {
      const same = this.#byLength.get(found.value.length)
      if (same === undefined) this.#byLength.set(found.value.length, { strings: [found], next: 0 })
      else same.strings.push(found)
    }
  }

  get isEmpty(): boolean {
    return this.#byLength.size === 0
  }

  /** The string as the client wrote it; null when it is none of the client's. */
  textOf(value: string): string | null {
    const same = this.#byLength.get(value.length)
    if (same === undefined) return null
    const { strings } = same
    // A translated conversation has its texts in the order of the client's, so the first one is the right one.
    for (let tried = 0; tried < Math.min(MAX_TRIES, strings.length); tried += 1) {
      const place = (same.next + tried) % strings.length
      const found = strings[place]
      if (found?.value !== value) continue
      same.next = place + 1
      return this.#text.slice(found.start, found.end)
    }
    return null
  }
}

/** Writes plain data in pieces: the strings of the client, and what is between them. */
class ReusingWriter {
  readonly #known: KnownStrings
  readonly #pieces: string[] = []
  /** What has been written since the last piece. */
  #text = ''

  constructor(known: KnownStrings) {
    this.#known = known
  }

  write(body: unknown): TextPieces {
    this.#add(body, 0)
    this.#pieces.push(this.#text)
    return this.#pieces
  }

  /** Nothing for what JSON has no value for; returns whether it has one. */
  #add(value: unknown, depth: number): boolean {
    if (hasLongString(value, MIN_STRING_LENGTH, depth)) {
      if (typeof value === 'string') this.#addString(value)
      else if (Array.isArray(value)) this.#addList(value, depth + 1)
      else this.#addObject(value as JsonObject, depth + 1)
      return true
    }
    const written = typeof value === 'string' ? writeString(value) : JSON.stringify(value)
    this.#text += written ?? ''
    return written !== undefined
  }

  #addString(value: string): void {
    const known = this.#known.textOf(value)
    if (known === null) {
      this.#text += JSON.stringify(value)
    } else {
      this.#pieces.push(this.#text, known)
      this.#text = ''
    }
  }

  #addList(values: readonly unknown[], depth: number): void {
    let separator = '['
    for (const value of values) {
      this.#text += separator
      if (!this.#add(value, depth)) this.#text += 'null'
      separator = ','
    }
    this.#text += values.length === 0 ? '[]' : ']'
  }

  #addObject(object: JsonObject, depth: number): void {
    let separator = '{'
    for (const name of Object.keys(object)) {
      // Only what has no long string can have no value, so nothing has been pushed since.
      const before = this.#text
      this.#text += `${separator}${writeString(name)}:`
      if (this.#add(object[name], depth)) separator = ','
      else this.#text = before
    }
    this.#text += separator === '{' ? '{}' : '}'
  }
}

/** A string of a parsed text, and where it stands in that text, quotes included. */
export interface FoundString extends Span {
  readonly value: string
}

/** How deep long strings are looked for: text in a part of a tool result of a message is eight levels down. */
export const MAX_STRING_DEPTH = 8

/**
 * Finds the long strings of a parsed text that are written with escapes, in the order of the text. What is in an object
 * that has a name twice is not found, because it need not be what the parser has kept.
 */
export function findEscapedStrings(source: ParsedText, minLength: number): readonly FoundString[] {
  const finder = new StringFinder(source, minLength)
  finder.visit(source.value, skipWhitespace(source.text, 0), 0)
  return finder.found
}

/** Whether a value is, or has in it, a string of this length. */
export function hasLongString(value: unknown, minLength: number, depth: number): boolean {
  if (typeof value === 'string') return value.length >= minLength
  if (typeof value !== 'object' || value === null || depth >= MAX_STRING_DEPTH) return false
  if (Array.isArray(value)) {
    for (const inner of value) if (hasLongString(inner, minLength, depth + 1)) return true
    return false
  }
  const members = value as JsonObject
  for (const name in members) if (hasLongString(members[name], minLength, depth + 1)) return true
  return false
}

/** Follows the text, and the value only to know what is worth a look. */
class StringFinder {
  readonly found: FoundString[] = []
  readonly #text: string
  readonly #minLength: number
  readonly #quotes: Quotes

  constructor({ text, longStrings }: ParsedText, minLength: number) {
    this.#text = text
    this.#minLength = minLength
    this.#quotes = new Quotes(text, longStrings)
  }

  /** Returns the end of what begins at `start`, which is the text of this value unless a name stands twice. */
  visit(value: unknown, start: number, depth: number): number {
    const text = this.#text
    if (hasLongString(value, this.#minLength, depth)) {
      const first = text.charCodeAt(start)
      if (typeof value === 'string') {
        if (first === QUOTE) return this.#visitString(value, start)
      } else if (Array.isArray(value)) {
        if (first === OPENING_BRACKET) return this.#visitList(value, start, depth + 1)
      } else if (first === OPENING_BRACE) return this.#visitObject(value as JsonObject, start, depth + 1)
    }
    return endOfValue(text, start, this.#quotes)
  }

  #visitString(value: string, start: number): number {
    const end = this.#quotes.closing(start) + 1
    if (end - start > value.length + 2) this.found.push({ value, start, end })
    return end
  }

  #visitList(values: readonly unknown[], start: number, depth: number): number {
    const text = this.#text
    let at = skipWhitespace(text, start + 1)
    if (text.charCodeAt(at) === CLOSING_BRACKET) return at + 1
    for (let place = 0; ; place += 1) {
      const after = skipWhitespace(text, this.visit(values[place], at, depth))
      if (text.charCodeAt(after) !== COMMA) return after + 1
      at = skipWhitespace(text, after + 1)
    }
  }

  #visitObject(object: JsonObject, start: number, depth: number): number {
    const text = this.#text
    const foundBefore = this.found.length
    let at = skipWhitespace(text, start + 1)
    if (text.charCodeAt(at) === CLOSING_BRACE) return at + 1
    for (let count = 1; ; count += 1) {
      const nameEnd = this.#quotes.closing(at) + 1
      const valueStart = skipWhitespace(text, skipWhitespace(text, nameEnd) + 1)
      const value = object[readName(text, at, nameEnd)]
      const after = skipWhitespace(text, this.visit(value, valueStart, depth))
      if (text.charCodeAt(after) !== COMMA) {
        if (count !== Object.keys(object).length) this.found.length = foundBefore
        return after + 1
      }
      at = skipWhitespace(text, after + 1)
    }
  }
}

const COMMA = 0x2c
const QUOTE = 0x22
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

// Nearly all names, and words such as roles, which the standard writer takes three times as long for.
const PLAIN = /^[\w.-]{0,40}$/

function writeString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
