import { GatewayError } from '../errors/gateway-error.ts'
import { joinPieces, type TextPieces } from './pieced-body.ts'

/** The position of a value in its text. `end` is the index after its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Replacement {
  readonly span: Span
  /** JSON text. */
  readonly json: string
}

const MAX_NAME_SHOWN = 64

/**
 * Finds the value of each top-level member of a JSON object, without parsing the values.
 * The text must be valid JSON; anything but an object has no members.
 *
 * A repeated name is refused: parsers disagree on which one wins, so a caller could be billed for one
 * model and served another.
 */
export function findTopLevelMembers(text: string): Map<string, Span> {
  const members = new Map<string, Span>()
  const places = scanMembers(text)
  for (let index = 0; index < places.length; index += PLACES_PER_MEMBER) {
    const name = readName(text, places[index] ?? 0, places[index + 1] ?? 0)
    const count = members.size
    members.set(name, { start: places[index + 2] ?? 0, end: places[index + 3] ?? 0 })
    if (members.size === count) throw repeatedMember(name)
  }
  return members
}

/**
 * The same for a text that has been parsed already, and much faster: names are compared only on lookup, and a repeated
 * name shows because the text has more members than the value.
 */
export class TopLevelMembers {
  /** Those that were passed on the way. */
  readonly longStrings: LongStrings
  readonly #text: string
  readonly #places: readonly number[]

  constructor(text: string, value: object) {
    const quotes = new Quotes(text)
    this.#text = text
    this.#places = scanMembers(text, quotes)
    this.longStrings = { text, quotes: quotes.ofLongStrings }
    if (this.#places.length !== Object.keys(value).length * PLACES_PER_MEMBER) findTopLevelMembers(text)
  }

  get(name: string): Span | undefined {
    const places = this.#places
    for (let index = 0; index < places.length; index += PLACES_PER_MEMBER) {
      if (readName(this.#text, places[index] ?? 0, places[index + 1] ?? 0) !== name) continue
      return { start: places[index + 2] ?? 0, end: places[index + 3] ?? 0 }
    }
    return undefined
  }
}

/** The members of an object by name. */
export type Members = Pick<TopLevelMembers, 'get'>

/** Start and end of a name, quotes included, and of its value. */
const PLACES_PER_MEMBER = 4

/** The positions of all members in one flat list: a request has many, and most are never used. */
function scanMembers(text: string, quotes = new Quotes(text)): number[] {
  const places: number[] = []
  const open = skipWhitespace(text, 0)
  if (text[open] !== '{') return places
  let index = skipWhitespace(text, open + 1)
  while (text[index] === '"') {
    const nameEnd = quotes.closing(index) + 1
    const colon = skipWhitespace(text, nameEnd)
    if (nameEnd === 0 || text[colon] !== ':') return places
    const start = skipWhitespace(text, colon + 1)
    const end = endOfValue(text, start, quotes)
    places.push(index, nameEnd, start, end)
    const after = skipWhitespace(text, end)
    index = text[after] === ',' ? skipWhitespace(text, after + 1) : text.length
  }
  return places
}

function repeatedMember(name: string): GatewayError {
  const shown = name.slice(0, MAX_NAME_SHOWN)
  return new GatewayError('invalid_request', `The body has the member "${shown}" more than once.`, {
    param: shown,
  })
}

// "mod\u0065l" and "model" are the same name to every parser.
export function readName(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? String(JSON.parse(text.slice(start, end))) : inner
}

/** The text with each span replaced and every other character as it was. Spans must not overlap. */
export function replaceMembers(text: string, replacements: readonly Replacement[]): string {
  return joinPieces(replaceInPieces(text, replacements))
}

/** The same, not joined. */
export function replaceInPieces(text: string, replacements: readonly Replacement[]): TextPieces {
  if (replacements.length === 0) return [text]
  const inOrder = [...replacements].sort((a, b) => a.span.start - b.span.start)
  const pieces: string[] = []
  let copiedTo = 0
  for (const { span, json } of inOrder) {
    pieces.push(text.slice(copiedTo, span.start), json)
    copiedTo = span.end
  }
  pieces.push(text.slice(copiedTo))
  return pieces
}

/** Inserts a member at the start of a JSON object. The name must not exist yet. */
export function insertMember(text: string, name: string, json: string): string {
  return replaceMembers(text, [insertionOf(text, name, json)])
}

/** The same insertion as a replacement, to be combined with others. */
export function insertionOf(text: string, name: string, json: string): Replacement {
  const afterBrace = skipWhitespace(text, 0) + 1
  const isEmpty = text[skipWhitespace(text, afterBrace)] === '}'
  const member = `${JSON.stringify(name)}:${json}${isEmpty ? '' : ','}`
  return { span: { start: afterBrace, end: afterBrace }, json: member }
}

/** Removes a member with its name and one comma. Two members that are removed may share a comma: remove one, then the other. */
export function removalOf(text: string, value: Span | undefined): Replacement[] {
  if (value === undefined) return []
  const nameEnd = text.lastIndexOf('"', text.lastIndexOf(':', value.start))
  const nameStart = text.lastIndexOf('"', nameEnd - 1)
  const after = skipWhitespace(text, value.end)
  if (text[after] === ',') return [{ span: { start: nameStart, end: after + 1 }, json: '' }]
  const comma = text.lastIndexOf(',', nameStart)
  return [{ span: { start: comma === -1 ? nameStart : comma, end: value.end }, json: '' }]
}

/** The text of an object without a member. */
export function withoutMember(text: string, name: string): string {
  return replaceMembers(text, removalOf(text, findTopLevelMembers(text).get(name)))
}

/**
 * Rewrites a JSON object: removes members (null) or replaces them, and copies all other text unchanged, because signed
 * values inside must not change. The text has no name twice.
 */
export function rewriteMembers(text: string, changes: Readonly<Record<string, unknown>>): string {
  const pieces = Object.entries(changes)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const places = scanMembers(text)
  // Members that stay are copied together with those beside them: there may be very many.
  let keptFrom = -1
  for (let index = 0; index < places.length; index += PLACES_PER_MEMBER) {
    const nameStart = places[index] ?? 0
    if (!Object.hasOwn(changes, readName(text, nameStart, places[index + 1] ?? 0))) {
      if (keptFrom === -1) keptFrom = nameStart
      continue
    }
    if (keptFrom !== -1) pieces.push(text.slice(keptFrom, places[index - 1]))
    keptFrom = -1
  }
  if (keptFrom !== -1) pieces.push(text.slice(keptFrom, places.at(-1)))
  return `{${pieces.join(',')}}`
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
/** An opening { differs from [, and a closing } from ], only in this bit. */
const BRACE_BIT = 0x20

/** The index of the quote that closes the string opened at `open`, -1 when it is never closed. */
export function closingQuote(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1)
  while (quote !== -1 && isEscaped(text, quote, open)) quote = text.indexOf('"', quote + 1)
  return quote
}

/** Each run of backslashes precedes exactly one quote, so counting backwards keeps a scan linear. */
function isEscaped(text: string, quote: number, open: number): boolean {
  let first = quote
  while (first - 1 > open && text.charCodeAt(first - 1) === BACKSLASH) first--
  return (quote - first) % 2 === 1
}

/** Every quote that closes a string, and some after an odd number of backslashes. */
const CLOSING_OR_DOUBTFUL = /(?<=[^\\]|\\\\)"/g

const LONG_STRING = 256

/** The opening and closing quotes of the long strings of a text that have escaped quotes, from its beginning to its end. */
export interface LongStrings {
  readonly text: string
  readonly quotes: readonly number[]
}

const NO_QUOTES: readonly number[] = []

/**
 * Finds closing quotes of one text, front to back. Prompts have an escaped quote every few words: a pattern passes over
 * them in a third of the time that looking at each of them takes.
 */
export class Quotes {
  /** Those found so far. */
  readonly ofLongStrings: number[] = []
  readonly #text: string
  readonly #known: readonly number[]
  #nextKnown = 0

  /** `known` saves finding long strings again that were found in the same text. */
  constructor(text: string, known?: LongStrings) {
    this.#text = text
    this.#known = known?.text === text ? known.quotes : NO_QUOTES
  }

  closing(open: number): number {
    const text = this.#text
    const quote = text.indexOf('"', open + 1)
    if (quote === -1 || text.charCodeAt(quote - 1) !== BACKSLASH) return quote
    const end = this.#recall(open) ?? this.#passEscapes(open)
    if (end - open >= LONG_STRING) this.ofLongStrings.push(open, end)
    return end
  }

  #recall(open: number): number | undefined {
    const known = this.#known
    while ((known[this.#nextKnown] ?? open) < open) this.#nextKnown += 2
    return known[this.#nextKnown] === open ? known[this.#nextKnown + 1] : undefined
  }

  #passEscapes(open: number): number {
    const text = this.#text
    CLOSING_OR_DOUBTFUL.lastIndex = open + 1
    while (CLOSING_OR_DOUBTFUL.test(text)) {
      const quote = CLOSING_OR_DOUBTFUL.lastIndex - 1
      if (!isEscaped(text, quote, open)) return quote
    }
    return -1
  }
}

/** The first index from `from` on that is not JSON white space. */
export function skipWhitespace(text: string, from: number): number {
  for (let index = from; ; index++) {
    const code = text.charCodeAt(index)
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return index
  }
}

/** The end of the value that begins at `start`. The text must be valid JSON. */
export function endOfValue(text: string, start: number, quotes = new Quotes(text)): number {
  const first = text.charCodeAt(start)
  if ((first | BRACE_BIT) === OPENING_BRACE) return endOfNested(text, start, quotes)
  if (first === QUOTE) return quotes.closing(start) + 1 || text.length
  // A number or a word ends before white space, a comma or a closing bracket.
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code <= SPACE || code === COMMA || code === CLOSING_BRACKET || code === CLOSING_BRACE) return index
  }
  return text.length
}

// Counts brackets instead of recursing: a body may nest deeper than the stack.
function endOfNested(text: string, start: number, quotes: Quotes): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = quotes.closing(index)
      if (index === -1) break
    } else if ((code | BRACE_BIT) === OPENING_BRACE) {
      if (depth === MAX_DEPTH) throw nestedTooDeep()
      depth++
    } else if ((code | BRACE_BIT) === CLOSING_BRACE) {
      depth--
      if (depth === 0) return index + 1
    }
  }
  return text.length
}

// Far beyond any schema, and far below what makes writing a value out again take seconds.
const MAX_DEPTH = 512

/** One level deeper. Throws beyond the limit, so that recursive functions cannot overflow the stack. */
export function deeper(depth: number): number {
  if (depth >= MAX_DEPTH) throw nestedTooDeep()
  return depth + 1
}

function nestedTooDeep(): GatewayError {
  return new GatewayError('invalid_request', `The body is nested more than ${MAX_DEPTH} levels deep.`)
}
