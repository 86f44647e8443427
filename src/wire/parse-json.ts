import { GatewayError } from '../errors/gateway-error.ts'
import { closingQuote, endOfValue, skipWhitespace } from './json-members.ts'
import { tryParseJson } from './json-values.ts'

/** Parses a request body. The error gives the position of the fault and never quotes the body. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new GatewayError('invalid_request', 'The body is empty; send a JSON object.')
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The cause may quote the body, which must not reach the log.
    throw new GatewayError('invalid_request', `The body is not valid JSON: ${describeFault(text, cause)}.`)
  }
}

/** Locating the fault takes a hundred times as long as parsing, so only bodies of handwritten size are searched. */
export const MAX_EXPLAINED_CHARACTERS = 64 * 1024

function describeFault(text: string, cause: unknown): string {
  if (text.length > MAX_EXPLAINED_CHARACTERS)
    return cause instanceof RangeError ? 'it is nested too deeply' : 'it cannot be parsed'
  const position = locateJsonError(text)
  if (position === null)
    return cause instanceof RangeError ? 'it is nested too deeply' : 'it cannot be parsed'
  if (position >= text.length) return `it ends too early, at position ${text.length}`
  return `unexpected character at position ${position}`
}

const WORDS = ['true', 'false', 'null']

/**
 * The index of the first character that cannot be part of a JSON text, `text.length` when it ends too early,
 * null when the text is valid. Runs only after a parse has failed: the engine's own message names no position,
 * and quotes the body.
 */
export function locateJsonError(text: string): number | null {
  const cursor = new JsonCursor(text)
  return cursor.readDocument() ? null : cursor.position
}

/** Walks a JSON text with an explicit stack of brackets. A method that returns false leaves `position` at the fault. */
class JsonCursor {
  position = 0
  readonly #text: string
  readonly #open: ('}' | ']')[] = []
  /** The innermost bracket has just opened, so no comma is expected. */
  #justOpened = false
  // A sticky pattern remembers where it looks; each cursor has its own.
  readonly #number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
  readonly #unicodeEscape = /u[0-9a-fA-F]{4}/y

  constructor(text: string) {
    this.#text = text
  }

  readDocument(): boolean {
    if (!this.#readValueOrOpening()) return false
    while (this.#open.length > 0) if (!this.#readNext()) return false
    return this.#peek() === undefined
  }

  /** After a value or an opening bracket: what may follow inside the innermost bracket. */
  #readNext(): boolean {
    const close = this.#open.at(-1)
    const character = this.#peek()
    const needsComma = !this.#justOpened
    this.#justOpened = false
    if (character === close) {
      this.position++
      this.#open.pop()
      return true
    }
    if (needsComma) {
      if (character !== ',') return false
      this.position++
    }
    return close === '}' ? this.#readMember() : this.#readValueOrOpening()
  }

  #readMember(): boolean {
    if (this.#peek() !== '"' || !this.#readString()) return false
    if (this.#peek() !== ':') return false
    this.position++
    return this.#readValueOrOpening()
  }

  #readValueOrOpening(): boolean {
    const character = this.#peek()
    if (character === '{' || character === '[') {
      this.#open.push(character === '{' ? '}' : ']')
      this.#justOpened = true
      this.position++
      return true
    }
    return character === '"' ? this.#readString() : this.#readScalar()
  }

  #readScalar(): boolean {
    const word = WORDS.find((candidate) => this.#text.startsWith(candidate, this.position))
    const length = word?.length ?? this.#match(this.#number)
    this.position += length
    return length > 0
  }

  #readString(): boolean {
    for (this.position++; this.position < this.#text.length; this.position++) {
      const character = this.#text.charAt(this.position)
      if (character === '"') {
        this.position++
        return true
      }
      if (character < ' ') return false
      if (character === '\\' && !this.#readEscape()) return false
    }
    return false
  }

  #readEscape(): boolean {
    this.position++
    const length = this.#match(this.#unicodeEscape)
    if (length === 0) return '"\\/bfnrt'.includes(this.#text.charAt(this.position) || ' ')
    this.position += length - 1
    return true
  }

  #match(pattern: RegExp): number {
    pattern.lastIndex = this.position
    return pattern.exec(this.#text)?.[0].length ?? 0
  }

  #peek(): string | undefined {
    this.position = skipWhitespace(this.#text, this.position)
    return this.#text[this.position]
  }
}

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
