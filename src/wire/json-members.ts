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
  const open = skipWhitespace(text, 0)
  if (text[open] !== '{') return members
  let index = skipWhitespace(text, open + 1)
  while (text[index] === '"') {
    const nameEnd = closingQuote(text, index) + 1
    const colon = skipWhitespace(text, nameEnd)
    if (nameEnd === 0 || text[colon] !== ':') return members
    const start = skipWhitespace(text, colon + 1)
    const end = endOfValue(text, start)
    addMember(members, readName(text, { start: index, end: nameEnd }), { start, end })
    const after = skipWhitespace(text, end)
    index = text[after] === ',' ? skipWhitespace(text, after + 1) : text.length
  }
  return members
}

function addMember(members: Map<string, Span>, name: string, span: Span): void {
  if (members.has(name)) {
    const shown = name.slice(0, LONGEST_NAME_SHOWN)
    throw new GatewayError('invalid_request', `The body has the member "${shown}" more than once.`, {
      param: shown,
    })
  }
  members.set(name, span)
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
