import { asObject, type JsonObject } from '../../../wire/json-values.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Stop looking for a pattern after this many misses in a row. */
const MAX_PATTERN_MISSES = 4
/** Deltas that carry generated text; a signature is not generated text. */
const WRITTEN_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])

/**
 * Counts text deltas without parsing them. The events of one block usually differ only in their text: when the bytes
 * around the text are the same as before, and the text is a JSON string without escapes, its length is all that counts.
 */
export class DeltaPattern {
  #before: Buffer | null = null
  #after: Buffer | null = null
  #misses = 0

  /** Remembers the bytes around the text of a suitable event. */
  learn(bytes: Uint8Array, event: JsonObject): void {
    if (event.type !== 'content_block_delta' || this.#misses >= MAX_PATTERN_MISSES) return
    const member = findOnlyText(event)
    if (member === null) return
    const whole = Buffer.from(bytes)
    const textStart = locateText(whole, member)
    if (textStart === null) return
    this.#before = whole.subarray(0, textStart)
    this.#after = whole.subarray(textStart + Buffer.byteLength(member.text))
    this.#misses++
  }

  /** The characters of text in the event between `start` and `end`; null when it does not match. */
  match(bytes: Uint8Array, start: number, end: number): number | null {
    const before = this.#before
    const after = this.#after
    if (before === null || after === null || end - start < before.length + after.length) return null
    const textStart = start + before.length
    const textEnd = end - after.length
    if (before.compare(bytes, start, textStart) !== 0 || after.compare(bytes, textEnd, end) !== 0) return null
    const characters = countPlain(bytes, textStart, textEnd)
    if (characters !== null) this.#misses = 0
    return characters
  }
}

interface TextMember {
  readonly field: string
  readonly text: string
}

/** The text of the delta; null when it has other members that could matter. */
function findOnlyText(event: JsonObject): TextMember | null {
  const delta = asObject(event.delta)
  const field = WRITTEN_FIELDS.get(delta?.type)
  if (delta === null || field === undefined || Object.keys(delta).length !== 2) return null
  const text = delta[field]
  return typeof text === 'string' ? { field, text } : null
}

/** Where the text begins; null when it is escaped or its position is ambiguous. */
function locateText(event: Buffer, { field, text }: TextMember): number | null {
  for (const colon of [':', ': ']) {
    const head = Buffer.from(`"${field}"${colon}"`)
    const at = event.indexOf(Buffer.concat([head, Buffer.from(`${text}"`)]))
    if (at !== -1) return event.indexOf(head) === event.lastIndexOf(head) ? at + head.length : null
  }
  return null
}

/** UTF-16 units of a JSON string's content; null when it has an escape, a quote or a control character. */
function countPlain(bytes: Uint8Array, start: number, end: number): number | null {
  let characters = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) return null
    // A continuation byte adds nothing; the first of four bytes starts a surrogate pair.
    if ((byte & 0xc0) !== 0x80) characters += byte >= 0xf0 ? 2 : 1
  }
  return characters
}
