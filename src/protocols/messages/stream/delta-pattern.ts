import { asObject, type JsonObject } from '../../../wire/json-values.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** A stream whose events share no pattern must not pay for the search with every one of them. */
const MOST_VAIN_LESSONS = 4
/** Only what the same kind of event has always meant; a signature is not generated text. */
const WRITTEN_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])

/**
 * The look of an event that does nothing but add text to a block. The events of one block rarely differ in anything
 * but that text, so an event with the same bytes before and after it, and a JSON string without escapes between,
 * parses to the same value but for the string: its length is all there is to learn, without parsing.
 */
export class DeltaPattern {
  #before: Buffer | null = null
  #after: Buffer | null = null
  #vainLessons = 0

  /** Takes the look of an event that fits; leaves everything as it was when it does not. */
  learn(bytes: Uint8Array, event: JsonObject): void {
    if (event.type !== 'content_block_delta' || this.#vainLessons >= MOST_VAIN_LESSONS) return
    const member = findOnlyText(event)
    if (member === null) return
    const whole = Buffer.from(bytes)
    const textStart = locateText(whole, member)
    if (textStart === null) return
    this.#before = whole.subarray(0, textStart)
    this.#after = whole.subarray(textStart + Buffer.byteLength(member.text))
    this.#vainLessons++
  }

  /** The characters of text that the event between `start` and `end` adds; null when it looks otherwise. */
  match(bytes: Uint8Array, start: number, end: number): number | null {
    const before = this.#before
    const after = this.#after
    if (before === null || after === null || end - start < before.length + after.length) return null
    const textStart = start + before.length
    const textEnd = end - after.length
    if (before.compare(bytes, start, textStart) !== 0 || after.compare(bytes, textEnd, end) !== 0) return null
    const characters = countPlain(bytes, textStart, textEnd)
    if (characters !== null) this.#vainLessons = 0
    return characters
  }
}

interface TextMember {
  readonly field: string
  readonly text: string
}

/** The text, when the delta has no other member that could mean something. */
function findOnlyText(event: JsonObject): TextMember | null {
  const delta = asObject(event.delta)
  const field = WRITTEN_FIELDS.get(delta?.type)
  if (delta === null || field === undefined || Object.keys(delta).length !== 2) return null
  const text = delta[field]
  return typeof text === 'string' ? { field, text } : null
}

/** Where the text begins; null when it is escaped, or stands there twice so that it could be either. */
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
    // A byte that continues a character counts for nothing, the first of four for two units.
    if ((byte & 0xc0) !== 0x80) characters += byte >= 0xf0 ? 2 : 1
  }
  return characters
}
