import { GatewayError } from '../../../errors/gateway-error.ts'
import { findTopLevelMembers, type Span } from '../../../wire/json-members.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import { countGenerated } from '../reply/usage.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const WRITTEN_FIELDS = ['content', 'reasoning_content', 'reasoning']
const UNICODE_ESCAPE_LENGTH = 6
const PREFIX = 'data: '

/**
 * The bytes of a stream event with holes for the strings that change: the added text, and the random padding that
 * some suppliers send.
 *
 * The events of one stream rarely differ elsewhere. If an event equals the pattern outside the holes and has a JSON
 * string in each hole, it parses to the same value except for those strings. Counting the characters of the text is
 * then enough, and much cheaper than parsing.
 */
export class ChunkPattern {
  /** The bytes around the holes. The first hole is the text. */
  readonly #fixed: readonly Buffer[]
  readonly #fixedLength: number

  private constructor(fixed: readonly Buffer[]) {
    this.#fixed = fixed
    this.#fixedLength = fixed.reduce((length, piece) => length + piece.length, 0)
  }

  /** Makes a pattern from an event that only adds text to one choice. Returns null for any other event. */
  static learn(event: Uint8Array, chunk: JsonObject): ChunkPattern | null {
    const field = findOnlyText(chunk)
    if (field === null) return null
    const text = Buffer.from(event).toString()
    const holes = findHoles(text, field)
    if (holes === null) return null
    const edges = [0, ...holes.flatMap(({ start, end }) => [start + 1, end - 1]), text.length]
    const fixed: Buffer[] = []
    for (let index = 0; index < edges.length; index += 2) {
      fixed.push(Buffer.from(text.slice(edges[index], edges[index + 1])))
    }
    return new ChunkPattern(fixed)
  }

  /** Counts the characters that the event between `start` and `end` adds, or returns null when it does not match. */
  match(bytes: Uint8Array, start: number, end: number): number | null {
    if (end - start < this.#fixedLength) return null
    let characters = 0
    let at = start
    const last = this.#fixed.length - 1
    for (let index = 0; index <= last; index++) {
      const piece = this.#fixed[index]
      if (piece === undefined) return null
      const pieceEnd = at + piece.length
      if (pieceEnd > end || piece.compare(bytes, at, pieceEnd) !== 0) return null
      if (index === last) return pieceEnd === end ? characters : null
      const hole = readHole(bytes, pieceEnd, end)
      if (hole === null) return null
      if (index === 0) characters = hole.characters
      at = hole.end
    }
    return null
  }
}

interface Hole {
  /** UTF-16 units, the `length` of the parsed string. */
  readonly characters: number
  /** The position of the closing quote. */
  readonly end: number
}

function readHole(bytes: Uint8Array, start: number, limit: number): Hole | null {
  let characters = 0
  for (let at = start; at < limit; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) return { characters, end: at }
    if (byte < 0x20) return null
    if (byte === BACKSLASH) {
      const length = escapeLength(bytes, at)
      if (length === 0) return null
      at += length - 1
    }
    // Continuation bytes add nothing. The first byte of a four-byte character adds two UTF-16 units.
    if ((byte & 0xc0) !== 0x80) characters += byte >= 0xf0 ? 2 : 1
  }
  return null
}

/** The length in bytes of the escape at `at`, or 0 when it is not valid JSON. */
function escapeLength(bytes: Uint8Array, at: number): number {
  const kind = String.fromCharCode(bytes[at + 1] ?? 0)
  if (kind !== 'u') return '"\\/bfnrt'.includes(kind) ? 2 : 0
  const digits = String.fromCharCode(...bytes.subarray(at + 2, at + UNICODE_ESCAPE_LENGTH))
  return /^[0-9a-fA-F]{4}$/.test(digits) ? UNICODE_ESCAPE_LENGTH : 0
}

/** The name of the text field, if the chunk adds text to one choice and does nothing else. */
function findOnlyText(chunk: JsonObject): string | null {
  const choices = asArray(chunk.choices)
  const choice = asObject(choices[0])
  const delta = asObject(choice?.delta)
  if (choices.length !== 1 || !delta || choice?.finish_reason || chunk.usage || chunk.error) return null
  const characters = countGenerated(delta)
  const isAll = (field: string) => characters > 0 && asLength(delta[field]) === characters
  return WRITTEN_FIELDS.find(isAll) ?? null
}

function asLength(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}

/** The spans of the strings that may differ, quotes included. The text must come first. */
function findHoles(text: string, field: string): Span[] | null {
  if (!text.startsWith(`${PREFIX}{`) || !text.endsWith('}\n\n')) return null
  try {
    const members = shifted(findTopLevelMembers(text.slice(PREFIX.length)), PREFIX.length)
    const choice = within(text, members.get('choices'), '[')
    const delta = within(text, choice?.get('delta'), '')
    const written = delta?.get(field)
    const padding = members.get('obfuscation')
    if (written === undefined) return null
    return padding !== undefined && text[padding.start] === '"' && padding.start > written.end
      ? [written, padding]
      : [written]
  } catch (error) {
    // A member name occurs twice. Only the parser knows which one counts.
    if (error instanceof GatewayError) return null
    throw error
  }
}

/** The members of the object at a span, or of the first object in the array there. */
function within(text: string, span: Span | undefined, opening: '' | '['): Map<string, Span> | null {
  if (span === undefined) return null
  const start = span.start + opening.length
  return shifted(findTopLevelMembers(text.slice(start, span.end)), start)
}

function shifted(members: Map<string, Span>, by: number): Map<string, Span> {
  const moved = [...members].map(
    ([name, { start, end }]) => [name, { start: start + by, end: end + by }] as const,
  )
  return new Map(moved)
}
