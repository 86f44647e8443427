import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { closeLastEvent, MAX_EVENT_BYTES, SseFramer } from '../../../wire/sse-events.ts'
import { malformed, readEventData, readSupplierEvent, type SupplierEvent } from '../../supplier-event.ts'
import type { StreamDecoder, SupplyContext } from '../../translation.ts'
import { decodeStreamError } from '../reply/decode-error.ts'
import { ChunkReader } from '../reply/decode-reply.ts'

/** The events in the bytes. */
interface EventSource {
  push(bytes: Uint8Array): readonly SupplierEvent[]
  end(): readonly SupplierEvent[]
}

/** Reads a supplier's stream: server-sent events, or a JSON array from suppliers that ignore `alt=sse`. */
export class GenerationDecoder implements StreamDecoder {
  failure: SupplierFailure | null = null
  readonly #reader: ChunkReader
  #source: EventSource | null = null

  constructor(context: SupplyContext) {
    this.#reader = new ChunkReader(context)
  }

  push(bytes: Uint8Array): AnswerEvent[] {
    if (this.failure !== null) return []
    this.#source ??= chooseSource(bytes)
    return this.#source === null ? [] : this.#readAll(this.#source.push(bytes))
  }

  end(): AnswerEvent[] {
    if (this.failure !== null) return []
    const events = this.#readAll(this.#source?.end() ?? [])
    if (this.failure !== null) return events
    if (this.#reader.isComplete) return [...events, ...this.#reader.close()]
    this.failure = malformed('no end')
    return events
  }

  #readAll(events: readonly SupplierEvent[]): AnswerEvent[] {
    const answer: AnswerEvent[] = []
    for (const event of events) {
      if (event.type === 'failure') {
        this.failure = event.failure
        break
      }
      if (event.type !== 'object') continue
      for (const answerEvent of this.#reader.read(event.value)) answer.push(answerEvent)
    }
    return answer
  }
}

/** Chosen by the first byte that is not white space; null until there is one. */
function chooseSource(bytes: Uint8Array): EventSource | null {
  const first = bytes.find((byte) => byte > 0x20)
  if (first === undefined) return null
  return first === 0x5b || first === 0x7b ? new JsonSource() : new SseSource()
}

class JsonSource implements EventSource {
  readonly #splitter = new JsonValueSplitter()

  push(bytes: Uint8Array): readonly SupplierEvent[] {
    const texts = this.#splitter.push(bytes)
    const events = texts.map((text) => readEventData(text, null, decodeStreamError))
    if (this.#splitter.pendingLength <= MAX_EVENT_BYTES) return events
    return [...events, { type: 'failure', failure: malformed('an event without end') }]
  }

  end(): readonly SupplierEvent[] {
    return []
  }
}

class SseSource implements EventSource {
  readonly #framer = new SseFramer()

  push(bytes: Uint8Array): readonly SupplierEvent[] {
    const framed = this.#framer.push(bytes)
    if (framed === null) return []
    let start = 0
    return framed.ends.map((end) => {
      const event = readSupplierEvent(framed.bytes.subarray(start, end), decodeStreamError)
      start = end
      return event
    })
  }

  /** The last event may lack its blank line. A truncated event is ignored. */
  end(): readonly SupplierEvent[] {
    const rest = this.#framer.finish()
    return rest === null || closeLastEvent(rest) === null ? [] : [readSupplierEvent(rest, decodeStreamError)]
  }
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
    if (start !== -1) this.#keep(new Uint8Array(bytes.subarray(start)))
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
