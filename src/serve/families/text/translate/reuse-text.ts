import { type FoundString, findEscapedStrings, hasLongString } from '../../../../wire/json-members.ts'
import type { JsonObject } from '../../../../wire/json-values.ts'
import type { TextPieces } from '../../../../wire/pieced-body.ts'

/** A body as a client sent it: its text, and what that parses to. */
export interface ParsedText {
  readonly text: string
  readonly value: unknown
}

// Below, finding the strings takes as long as writing them.
const MIN_TEXT_LENGTH = 16_384
const MIN_STRING_LENGTH = 256
// A stranger may send many different strings of the same length.
const MAX_TRIES = 4

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

  constructor({ text, value }: ParsedText) {
    this.#text = text
    for (const found of findEscapedStrings(text, value, MIN_STRING_LENGTH)) {
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
    const written = JSON.stringify(value)
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
      this.#text += `${separator}${JSON.stringify(name)}:`
      if (this.#add(object[name], depth)) separator = ','
      else this.#text = before
    }
    this.#text += separator === '{' ? '{}' : '}'
  }
}
