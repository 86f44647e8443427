import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, tryParseJson } from '../../../wire/json-values.ts'
import { readSseEvent } from '../../../wire/sse-event.ts'
import { type FramedEvents, SseFramer } from '../../../wire/sse-framer.ts'
import type { StreamDecoder, SupplyContext } from '../../translation.ts'
import { decodeStreamError } from '../reply/decode-error.ts'
import { ChunkReader } from '../reply/decode-reply.ts'
import { MAX_EVENT_BYTES } from './frames.ts'

/** The texts of the chunks in the bytes; null stands for bytes that are not a chunk. */
interface ChunkSource {
  push(bytes: Uint8Array): readonly (string | null)[]
  end(): readonly (string | null)[]
  readonly pendingLength: number
}

/** Reads a supplier's stream: server-sent events, or a JSON array from suppliers that ignore `alt=sse`. */
export class GenerationDecoder implements StreamDecoder {
  failure: SupplierFailure | null = null
  readonly #reader: ChunkReader
  #source: ChunkSource | null = null

  constructor(context: SupplyContext) {
    this.#reader = new ChunkReader(context)
  }

  push(bytes: Uint8Array): AnswerEvent[] {
    if (this.failure !== null) return []
    this.#source ??= chooseSource(bytes)
    if (this.#source === null) return []
    const events = this.#readAll(this.#source.push(bytes))
    if (this.#source.pendingLength > MAX_EVENT_BYTES) this.#failMalformed('an event without end')
    return events
  }

  end(): AnswerEvent[] {
    if (this.failure !== null) return []
    const events = this.#readAll(this.#source?.end() ?? [])
    if (this.failure !== null) return events
    if (this.#reader.isComplete) return [...events, ...this.#reader.close()]
    this.#failMalformed('no end')
    return events
  }

  #readAll(texts: readonly (string | null)[]): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (const text of texts) {
      if (this.failure !== null) break
      for (const event of this.#readText(text)) events.push(event)
    }
    return events
  }

  #readText(text: string | null): AnswerEvent[] {
    // Some suppliers end with the marker of other formats.
    if (text?.startsWith('[DONE]')) return []
    const chunk = text === null ? null : asObject(tryParseJson(text))
    if (chunk === null) {
      this.#failMalformed('an event that is not a JSON object')
      return []
    }
    if (chunk.error === undefined || chunk.error === null) return this.#reader.read(chunk)
    this.failure = decodeStreamError(chunk)
    return []
  }

  #failMalformed(what: string): void {
    const message = `The supplier's stream has ${what}.`
    this.failure = { kind: 'malformed', status: null, message, param: null, retryAfterSeconds: null }
  }
}

/** Chosen by the first byte that is not white space; null until there is one. */
function chooseSource(bytes: Uint8Array): ChunkSource | null {
  const first = bytes.find((byte) => byte > 0x20)
  if (first === undefined) return null
  return first === 0x5b || first === 0x7b ? new JsonSource() : new SseSource()
}

class JsonSource implements ChunkSource {
  readonly #splitter = new JsonValueSplitter()

  get pendingLength(): number {
    return this.#splitter.pendingLength
  }

  push(bytes: Uint8Array): readonly string[] {
    return this.#splitter.push(bytes)
  }

  end(): readonly string[] {
    return []
  }
}

class SseSource implements ChunkSource {
  readonly #framer = new SseFramer()

  get pendingLength(): number {
    return this.#framer.pendingLength
  }

  push(bytes: Uint8Array): readonly (string | null)[] {
    const framed = this.#framer.push(bytes)
    return framed === null ? [] : readFramed(framed)
  }

  /** The last event may lack its blank line. A truncated event is ignored. */
  end(): readonly (string | null)[] {
    const rest = this.#framer.finish()
    const { data } = rest === null ? { data: null } : readSseEvent(rest)
    return data !== null && tryParseJson(data) !== undefined ? [data] : []
  }
}

function readFramed({ bytes, ends }: FramedEvents): (string | null)[] {
  return ends.flatMap((end, index) => readEvent(bytes.subarray(ends[index - 1] ?? 0, end)))
}

function readEvent(bytes: Uint8Array): (string | null)[] {
  const { data, isRecognised } = readSseEvent(bytes)
  if (data !== null) return [data]
  return isRecognised ? [] : [null]
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const decoder = new TextDecoder()

/**
 * Splits a stream of JSON objects into the text of each, however its bytes arrive. Brackets and commas between the
 * objects are skipped. Every byte is scanned once.
 */
class JsonValueSplitter {
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** The bytes of the unfinished object. */
  #pieces: Uint8Array[] = []
  #pendingLength = 0

  /** Size of the unfinished object in bytes. */
  get pendingLength(): number {
    return this.#pendingLength
  }

  push(bytes: Uint8Array): string[] {
    const texts: string[] = []
    let start = this.#depth > 0 ? 0 : -1
    for (let index = 0; index < bytes.length; index++) {
      const step = this.#step(bytes[index] ?? 0)
      if (step === 'opened') start = index
      if (step !== 'closed') continue
      texts.push(this.#join(bytes.subarray(start, index + 1)))
      start = -1
    }
    if (start !== -1) this.#keep(bytes.slice(start))
    return texts
  }

  #step(byte: number): 'opened' | 'closed' | 'inside' {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isInString = false
      return 'inside'
    }
    if (byte === QUOTE) this.#isInString = this.#depth > 0
    else if (byte === 0x7b) return this.#depth++ === 0 ? 'opened' : 'inside'
    else if (byte === 0x7d && this.#depth > 0) return --this.#depth === 0 ? 'closed' : 'inside'
    return 'inside'
  }

  #keep(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#pendingLength += piece.length
  }

  #join(last: Uint8Array): string {
    if (this.#pieces.length === 0) return decoder.decode(last)
    const text = decoder.decode(Buffer.concat([...this.#pieces, last]))
    this.#pieces = []
    this.#pendingLength = 0
    return text
  }
}
