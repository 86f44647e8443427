import { GatewayError } from '../errors/gateway-error.ts'
import { closingQuote, endOfValue, skipWhitespace } from './json-text.ts'

/** Where a value stands in its text: `end` is the index after its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Replacement {
  readonly span: Span
  /** JSON text. */
  readonly json: string
}

const LONGEST_NAME_SHOWN = 64

/**
 * Finds the value of each top-level member of a JSON object, without parsing the values.
 * The text must be valid JSON; anything but an object has no members.
 *
 * A repeated name is refused: parsers disagree on which one wins, so a caller could be metered for one
 * model and served another.
 */
export function findTopLevelMembers(text: string): Map<string, Span> {
  const members = new Map<string, Span>()
  const places = scanMembers(text)
  for (let index = 0; index < places.length; index += PLACES_PER_MEMBER) {
    addMember(members, readName(text, spanAt(places, index)), spanAt(places, index + 2))
  }
  return members
}

/**
 * The same for a text whose value is at hand, in a fraction of the time: names are compared only when one is asked
 * for, and a repeated one shows by the text having more members than the value.
 */
export class TopLevelMembers {
  readonly #text: string
  readonly #places: readonly number[]

  constructor(text: string, value: object) {
    this.#text = text
    this.#places = scanMembers(text)
    if (this.#places.length !== Object.keys(value).length * PLACES_PER_MEMBER) findTopLevelMembers(text)
  }

  get(name: string): Span | undefined {
    const places = this.#places
    for (let index = 0; index < places.length; index += PLACES_PER_MEMBER) {
      if (readName(this.#text, spanAt(places, index)) === name) return spanAt(places, index + 2)
    }
    return undefined
  }
}

function spanAt(places: readonly number[], index: number): Span {
  return { start: places[index] ?? 0, end: places[index + 1] ?? 0 }
}

/** Where a name begins and ends, quotes included, and where its value does. */
const PLACES_PER_MEMBER = 4

/** The places of all members, one after the other: a request has many, and most are never looked at. */
function scanMembers(text: string): number[] {
  const places: number[] = []
  const open = skipWhitespace(text, 0)
  if (text[open] !== '{') return places
  let index = skipWhitespace(text, open + 1)
  while (text[index] === '"') {
    const nameEnd = closingQuote(text, index) + 1
    const colon = skipWhitespace(text, nameEnd)
    if (nameEnd === 0 || text[colon] !== ':') return places
    const start = skipWhitespace(text, colon + 1)
    const end = endOfValue(text, start)
    places.push(index, nameEnd, start, end)
    const after = skipWhitespace(text, end)
    index = text[after] === ',' ? skipWhitespace(text, after + 1) : text.length
  }
  return places
}

function addMember(members: Map<string, Span>, name: string, span: Span): void {
  const before = members.size
  if (members.set(name, span).size > before) return
  const shown = name.slice(0, LONGEST_NAME_SHOWN)
  throw new GatewayError('invalid_request', `The body has the member "${shown}" more than once.`, {
    param: shown,
  })
}

// "mod\u0065l" and "model" are the same name to every parser.
function readName(text: string, quoted: Span): string {
  const inner = text.slice(quoted.start + 1, quoted.end - 1)
  return inner.includes('\\') ? String(JSON.parse(text.slice(quoted.start, quoted.end))) : inner
}

/** The text with each span replaced and every other character as it was. Spans must not overlap. */
export function replaceMembers(text: string, replacements: readonly Replacement[]): string {
  const inOrder = [...replacements].sort((a, b) => a.span.start - b.span.start)
  let result = ''
  let copiedTo = 0
  for (const { span, json } of inOrder) {
    result += text.slice(copiedTo, span.start) + json
    copiedTo = span.end
  }
  return result + text.slice(copiedTo)
}

/** The text of a JSON object with one more member, put first. The caller knows that the name is not there yet. */
export function insertMember(text: string, name: string, json: string): string {
  return replaceMembers(text, [insertionOf(text, name, json)])
}

/** The same insertion as a replacement of nothing, to be made together with others. */
export function insertionOf(text: string, name: string, json: string): Replacement {
  const afterBrace = skipWhitespace(text, 0) + 1
  const isEmpty = text[skipWhitespace(text, afterBrace)] === '}'
  const member = `${JSON.stringify(name)}:${json}${isEmpty ? '' : ','}`
  return { span: { start: afterBrace, end: afterBrace }, json: member }
}
