import { closingQuote, endOfValue, skipWhitespace } from './json-members.ts'
import { tryParseJson } from './json-values.ts'

// Shorter texts are parsed in a few milliseconds.
const SHORT_TEXT = 256 * 1_024
const CHARACTERS_PER_STEP = 512 * 1_024

/** Lists and objects up to this depth are taken apart; what is in them is parsed as a whole. */
const MAX_DEPTH = 2

/**
 * Parses a long text, with a pause after each step so that others get their turn. Meant for objects with long lists of
 * values, such as vectors. Returns undefined when the text is not JSON.
 */
export function* parseInSteps(text: string): Generator<undefined, unknown> {
  if (text.length <= SHORT_TEXT) return tryParseJson(text)
  const parser = new StepParser(text)
  try {
    const value = yield* parser.parse(0)
    return parser.isAtEnd ? value : undefined
  } catch {
    return undefined
  }
}

class StepParser {
  readonly #text: string
  #at: number
  #pausedAt = 0

  constructor(text: string) {
    this.#text = text
    this.#at = skipWhitespace(text, 0)
  }

  get isAtEnd(): boolean {
    return skipWhitespace(this.#text, this.#at) >= this.#text.length
  }

  *parse(depth: number): Generator<undefined, unknown> {
    const first = this.#text[this.#at]
    if (first === '{' && depth < MAX_DEPTH) return yield* this.#parseObject(depth + 1)
    if (first === '[' && depth <= MAX_DEPTH) return yield* this.#parseList(depth + 1)
    const end = endOfValue(this.#text, this.#at)
    const value: unknown = JSON.parse(this.#text.slice(this.#at, end))
    this.#at = end
    return value
  }

  *#parseObject(depth: number): Generator<undefined, Readonly<Record<string, unknown>>> {
    const members: [string, unknown][] = []
    let next = this.#enter('}')
    while (next) {
      const nameEnd = closingQuote(this.#text, this.#at) + 1
      const name: unknown = JSON.parse(this.#text.slice(this.#at, nameEnd))
      this.#at = skipWhitespace(this.#text, nameEnd)
      if (typeof name !== 'string' || this.#text[this.#at] !== ':') throw notJson()
      this.#at = skipWhitespace(this.#text, this.#at + 1)
      members.push([name, yield* this.parse(depth)])
      next = this.#goOn('}')
    }
    return Object.fromEntries(members)
  }

  *#parseList(depth: number): Generator<undefined, unknown[]> {
    const values: unknown[] = []
    let next = this.#enter(']')
    while (next) {
      values.push(yield* this.parse(depth))
      next = this.#goOn(']')
      if (this.#at - this.#pausedAt < CHARACTERS_PER_STEP) continue
      this.#pausedAt = this.#at
      yield
    }
    return values
  }

  /** Goes to the first value; false when there is none. */
  #enter(closing: string): boolean {
    this.#at = skipWhitespace(this.#text, this.#at + 1)
    if (this.#text[this.#at] !== closing) return true
    this.#at += 1
    return false
  }

  /** Goes to the next value; false after the last one. */
  #goOn(closing: string): boolean {
    this.#at = skipWhitespace(this.#text, this.#at)
    const character = this.#text[this.#at]
    this.#at += 1
    if (character === closing) return false
    if (character !== ',') throw notJson()
    this.#at = skipWhitespace(this.#text, this.#at)
    return true
  }
}

function notJson(): Error {
  return new SyntaxError('The text is not JSON.')
}
