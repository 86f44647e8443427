import { type FoundString, findEscapedStrings, hasLongString } from '../../../../wire/json-members.ts'
import type { JsonObject } from '../../../../wire/json-values.ts'

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
export function writeReusing(body: unknown, source: ParsedText): string {
  if (source.text.length < MIN_TEXT_LENGTH) return JSON.stringify(body)
  const known = new KnownStrings(source)
  return known.isEmpty ? JSON.stringify(body) : (write(body, known, 0) ?? '')
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

/** Undefined for what JSON has no value for. */
function write(value: unknown, known: KnownStrings, depth: number): string | undefined {
  if (!hasLongString(value, MIN_STRING_LENGTH, depth)) return JSON.stringify(value)
  if (typeof value === 'string') return known.textOf(value) ?? JSON.stringify(value)
  return Array.isArray(value)
    ? writeList(value, known, depth + 1)
    : writeObject(value as JsonObject, known, depth + 1)
}

function writeList(values: readonly unknown[], known: KnownStrings, depth: number): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '[' : ','}${write(value, known, depth) ?? 'null'}`
  return `${text}]`
}

function writeObject(object: JsonObject, known: KnownStrings, depth: number): string {
  let text = ''
  for (const name of Object.keys(object)) {
    const written = write(object[name], known, depth)
    if (written !== undefined) text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${written}`
  }
  return `${text}}`
}
