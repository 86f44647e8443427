import { TokenCounter } from '../../conversation/token-estimate.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { asObject, tryParseJson } from '../../wire/json-values.ts'

// All of a short answer is kept, as a copy: were it the pieces themselves, the garbage collector would find all of them
// alive, which took half of its time when there were many streams.
const BEGINNING_BYTES = 16_384
const BLOCK_BYTES = 2_048
// Of the rest, enough pieces for every script to show, and little memory for a stream.
const MAX_PIECES = 16
const MAX_PIECE_BYTES = 4_096
const FIRST_INTERVAL = 8
// English prose, for an answer of which nothing can be read.
const USUAL_TOKENS_PER_CHARACTER = 0.25

const decoder = new TextDecoder()

/**
 * The beginning of a stream, and pieces from all over the rest. They are read only if the stream ends without a report of
 * its usage, so that no other stream pays for it.
 */
export class SentSample {
  readonly #beginning: Uint8Array[] = []
  /** How much of the last block of it is filled. */
  #filledBytes = BLOCK_BYTES
  /** How much more of the stream belongs to its beginning. */
  #roomBytes = BEGINNING_BYTES
  #pieces: Uint8Array[] = []
  /** One piece in so many is kept. It doubles when there are enough, and half of them go. */
  #interval = FIRST_INTERVAL
  #untilNext = 1

  add(bytes: Uint8Array): void {
    if (this.#roomBytes > 0 && bytes.length <= MAX_PIECE_BYTES) {
      this.#roomBytes -= bytes.length
      this.#addToBeginning(bytes)
      return
    }
    // A large piece ends the beginning.
    this.#roomBytes = 0
    this.#untilNext -= 1
    if (this.#untilNext === 0) this.#addPiece(bytes)
  }

  #addToBeginning(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      if (this.#filledBytes === BLOCK_BYTES) {
        this.#beginning.push(new Uint8Array(BLOCK_BYTES))
        this.#filledBytes = 0
      }
      const end = Math.min(bytes.length, from + BLOCK_BYTES - this.#filledBytes)
      const fits = from === 0 && end === bytes.length
      this.#beginning.at(-1)?.set(fits ? bytes : bytes.subarray(from, end), this.#filledBytes)
      this.#filledBytes += end - from
      from = end
    }
  }

  #addPiece(bytes: Uint8Array): void {
    // A copy: the bytes may be part of a large buffer. The `slice` of a Buffer would not copy.
    this.#pieces.push(new Uint8Array(bytes.subarray(0, MAX_PIECE_BYTES)))
    if (this.#pieces.length === MAX_PIECES) {
      this.#pieces = this.#pieces.filter((_, index) => index % 2 === 0)
      this.#interval *= 2
    }
    this.#untilNext = this.#interval
  }

  /** The tokens of so many characters that were sent in this format. */
  countTokens(characters: number, { generatedText }: Pick<Protocol, 'generatedText'>): number {
    const keptBytes = (this.#beginning.length - 1) * BLOCK_BYTES + this.#filledBytes
    const kept = Buffer.concat(this.#beginning, keptBytes)
    const beginning = countText(textOfEvents(decoder.decode(kept), generatedText))
    const rest = beginning.characters < characters ? countPieces(this.#pieces, generatedText) : NO_TEXT
    return extrapolate(characters, beginning, rest)
  }
}

/** The same for a whole reply, which may be written as a stream. */
export function countReply(
  body: string,
  characters: number,
  { generatedText }: Pick<Protocol, 'generatedText'>,
): number {
  const reply = asObject(tryParseJson(body))
  const text = reply === null ? textOfEvents(body, generatedText) : generatedText(reply)
  return extrapolate(characters, countText(text), NO_TEXT)
}

interface TextCount {
  readonly tokens: number
  readonly characters: number
}

const NO_TEXT: TextCount = { tokens: 0, characters: 0 }

/** Characters that were not read are taken to be like those of the sample, else like those that were. */
function extrapolate(characters: number, read: TextCount, sample: TextCount): number {
  if (characters <= read.characters) return Math.ceil((read.tokens * characters) / read.characters)
  const like = sample.characters > 0 ? sample : read
  const tokensPerCharacter = like.characters > 0 ? like.tokens / like.characters : USUAL_TOKENS_PER_CHARACTER
  return Math.ceil(read.tokens + (characters - read.characters) * tokensPerCharacter)
}

function countText(text: string): TextCount {
  const counter = new TokenCounter()
  counter.add(text)
  return { tokens: counter.tokens, characters: text.length }
}

function countPieces(pieces: readonly Uint8Array[], generatedText: Protocol['generatedText']): TextCount {
  const counter = new TokenCounter()
  let characters = 0
  for (const piece of pieces) {
    const events = decoder.decode(piece)
    const found = textOfEvents(events, generatedText)
    // An event that is cut off is long, so nearly all of it is text.
    const text = found === '' && piece.length === MAX_PIECE_BYTES ? events : found
    counter.add(text)
    characters += text.length
  }
  return { tokens: counter.tokens, characters }
}

/** The generated text in the events that are whole. */
function textOfEvents(events: string, generatedText: Protocol['generatedText']): string {
  let text = ''
  for (const [, data = ''] of events.matchAll(/^data: ?(.+)$/gm)) {
    const event = asObject(tryParseJson(data))
    if (event !== null) text += generatedText(event)
  }
  return text
}
