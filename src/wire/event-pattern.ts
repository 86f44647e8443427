const SPACE = 0x20
const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const UNICODE_ESCAPE_LENGTH = 6
/** Stop learning after this many patterns in a row that no event matched. */
const MAX_UNUSED_PATTERNS = 4

/** The member of an event that holds the added text. */
export interface AddedText {
  readonly name: string
  readonly text: string
}

/**
 * Counts the text in stream events without parsing them.
 *
 * The events of one stream rarely differ except in their text, and in the random padding that some suppliers send. If
 * an event has the same bytes as an earlier one around these strings, and a JSON string in place of each, it parses to
 * the same value except for the strings. Counting the characters of the text is then enough, and much cheaper.
 */
export class EventPattern {
  /** The bytes around the strings, of which the first is the text. Empty until an event has been learned. */
  #fixed: readonly Buffer[] = []
  #unusedPatterns = 0
  /** UTF-16 units in the string that was read last: the `length` of the parsed string. */
  #characters = 0

  /** Remembers the bytes around the text, and around the padding if there is any after the text. */
  learn(event: Uint8Array, { name, text }: AddedText, padding?: string): void {
    if (this.#unusedPatterns >= MAX_UNUSED_PATTERNS) return
    const bytes = Buffer.from(event)
    const start = findOnlyString(bytes, name)
    if (start === -1) return
    const end = this.#endOfString(bytes, start, bytes.length)
    if (end === -1 || this.#characters !== text.length) return
    const paddingStart = padding === undefined ? -1 : findOnlyString(bytes, padding)
    const paddingEnd = paddingStart < end ? -1 : this.#endOfString(bytes, paddingStart, bytes.length)
    this.#fixed =
      paddingEnd === -1
        ? [bytes.subarray(0, start), bytes.subarray(end)]
        : [bytes.subarray(0, start), bytes.subarray(end, paddingStart), bytes.subarray(paddingEnd)]
    this.#unusedPatterns++
  }

  /** The characters of text in the event between `start` and `end`; null when it does not match. */
  match(bytes: Uint8Array, start: number, end: number): number | null {
    let characters = 0
    let at = start
    const last = this.#fixed.length - 1
    for (let index = 0; index <= last; index++) {
      const piece = this.#fixed[index] as Buffer
      const pieceEnd = at + piece.length
      if (pieceEnd > end || piece.compare(bytes, at, pieceEnd) !== 0) return null
      if (index === last) {
        if (pieceEnd !== end) return null
        this.#unusedPatterns = 0
        return characters
      }
      at = this.#endOfString(bytes, pieceEnd, end)
      if (at === -1) return null
      if (index === 0) characters = this.#characters
    }
    return null
  }

  /** The position of the quote that closes the string; -1 when the bytes are not a JSON string. */
  #endOfString(bytes: Uint8Array, start: number, limit: number): number {
    let characters = 0
    for (let at = start; at < limit; at++) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) {
        this.#characters = characters
        return at
      }
      if (byte < SPACE) return -1
      if (byte === BACKSLASH) {
        const length = escapeLength(bytes, at)
        if (length === 0) return -1
        at += length - 1
      }
      // Continuation bytes add nothing. The first byte of a four-byte character adds two UTF-16 units.
      if ((byte & 0xc0) !== 0x80) characters += byte >= 0xf0 ? 2 : 1
    }
    return -1
  }
}

/**
 * Where the string of this member begins; -1 unless the event has exactly one member of this name. Within a string,
 * quotes are escaped, so a name in quotes is a name or a whole string.
 */
function findOnlyString(event: Buffer, name: string): number {
  const quoted = `"${name}"`
  let found = -1
  for (let at = event.indexOf(quoted); at !== -1; at = event.indexOf(quoted, at + 1)) {
    let next = at + quoted.length
    while (event[next] === SPACE) next++
    // A text that equals the name.
    if (event[next] !== COLON) continue
    if (found !== -1 || event[at - 1] === BACKSLASH) return -1
    do next++
    while (event[next] === SPACE)
    if (event[next] !== QUOTE) return -1
    found = next + 1
  }
  return found
}

const ONE_BYTE_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'))

/** The length in bytes of the escape at `at`, or 0 when it is not valid JSON. */
function escapeLength(bytes: Uint8Array, at: number): number {
  const kind = bytes[at + 1] ?? 0
  if (kind !== LETTER_U) return ONE_BYTE_ESCAPES.has(kind) ? 2 : 0
  const digits = String.fromCharCode(...bytes.subarray(at + 2, at + UNICODE_ESCAPE_LENGTH))
  return /^[0-9a-fA-F]{4}$/.test(digits) ? UNICODE_ESCAPE_LENGTH : 0
}
