import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { closeLastEvent, SseFramer } from '../../../wire/sse-events.ts'
import { decodeEvents, malformed, readSupplierEvent } from '../../supplier-event.ts'
import type { StreamDecoder, SupplyContext } from '../../translation.ts'
import { decodeFailedResponse, decodeStreamError } from '../reply/decode-error.ts'
import { decodeFinish } from '../reply/finish.ts'
import { decodeStreamUsage, noteHostedCall } from '../reply/usage.ts'
import { openReader } from './item-reader.ts'
import type { ItemReader } from './message-reader.ts'

/** Decodes a supplier's stream into answer events. */
export class ResponsesDecoder implements StreamDecoder {
  failure: SupplierFailure | null = null
  readonly #framer = new SseFramer()
  readonly #queue: OutputQueue
  #hostedCalls: readonly JsonObject[] | null = null
  #hasStarted = false
  #hasEnded = false
  #hasCalls = false
  #hasRefusal = false

  constructor(context: SupplyContext) {
    this.#queue = new OutputQueue(context)
  }

  push(bytes: Uint8Array): AnswerEvent[] {
    if (this.#isOver) return []
    const framed = this.#framer.push(bytes)
    return framed === null ? [] : decodeEvents(framed, this.#readEvent)
  }

  end(): AnswerEvent[] {
    const rest = this.#isOver ? null : this.#framer.finish()
    // The last event may lack its blank line. A truncated event is not read.
    const events = rest === null || closeLastEvent(rest) === null ? [] : this.#readEvent(rest)
    if (!this.#isOver) this.failure = malformed('no end')
    return events
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.failure !== null
  }

  readonly #readEvent = (bytes: Uint8Array): AnswerEvent[] => {
    if (this.#isOver) return []
    const event = readSupplierEvent(bytes, decodeStreamError)
    if (event.type === 'failure') this.failure = event.failure
    return event.type === 'object' ? this.#read(event.value) : []
  }

  #read(event: JsonObject): AnswerEvent[] {
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        return this.#start(asObject(event.response))
      case 'response.output_item.added':
        return this.#emit(this.#queue.start(event))
      case 'response.output_item.done':
        this.#hostedCalls = noteHostedCall(this.#hostedCalls, event.item)
        return this.#emit(this.#queue.end(event))
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(asObject(event.response) ?? {}, event.type)
      case 'response.failed':
        this.failure = decodeFailedResponse(asObject(event.response) ?? {})
        return []
      default:
        return this.#emit(this.#queue.read(event))
    }
  }

  #start(response: JsonObject | null): AnswerEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [{ type: 'answer-start', id: asText(response?.id) ?? '' }]
  }

  #emit(events: AnswerEvent[]): AnswerEvent[] {
    for (const event of events) {
      if (event.type !== 'part-start') continue
      this.#hasCalls ||= event.part.type === 'tool-call'
      this.#hasRefusal ||= event.part.type === 'refusal'
    }
    return this.#hasStarted || events.length === 0 ? events : [...this.#start(null), ...events]
  }

  #end(response: JsonObject, type: string): AnswerEvent[] {
    const opening = this.#start(response)
    const rest = this.#emit(this.#queue.endAll(response.output))
    const status = type === 'response.incomplete' ? 'incomplete' : 'completed'
    const finish = decodeFinish(
      { status, ...response },
      { hasCalls: this.#hasCalls, hasRefusal: this.#hasRefusal },
    )
    const usage = decodeStreamUsage(response, this.#hostedCalls)
    this.#hasEnded = true
    return [
      ...opening,
      ...rest,
      { type: 'choice-end', choice: 0, finish },
      ...(usage === null ? [] : [{ type: 'usage' as const, usage }]),
      { type: 'answer-end' },
    ]
  }
}

interface Entry {
  readonly reader: ItemReader
  /** The item as it was announced. */
  readonly item: JsonObject
  /** Events to emit once all earlier items have ended. */
  readonly held: AnswerEvent[]
  isEnded: boolean
}

/** Emits the items of a response one by one, in the order they started, even if their events interleave. */
class OutputQueue {
  readonly #context: SupplyContext
  readonly #entries = new Map<unknown, Entry>()
  readonly #waiting: Entry[] = []

  constructor(context: SupplyContext) {
    this.#context = context
  }

  start(event: JsonObject): AnswerEvent[] {
    const item = asObject(event.item)
    const key = keyOf(event)
    if (item === null || this.#entries.has(key)) return []
    const entry = this.#addEntry(key, item)
    return this.#emitInOrder(entry, entry.reader.start(item))
  }

  read(event: JsonObject): AnswerEvent[] {
    const entry = this.#entries.get(keyOf(event))
    return entry === undefined || entry.isEnded ? [] : this.#emitInOrder(entry, entry.reader.read(event))
  }

  end(event: JsonObject): AnswerEvent[] {
    const item = asObject(event.item)
    const key = keyOf(event)
    if (item === null) return []
    return this.#endEntry(this.#entries.get(key) ?? this.#addEntry(key, item), item)
  }

  /** Ends every item with its content from the whole response, including items that were never announced. */
  endAll(output: unknown): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (const [index, value] of asArray(output).entries()) {
      const item = asObject(value) ?? {}
      const known = this.#entries.get(index) ?? this.#entries.get(asText(item.id))
      if (known === undefined || !known.isEnded) {
        append(events, this.#endEntry(known ?? this.#addEntry(index, item), item))
      }
    }
    for (const entry of this.#entries.values()) {
      if (!entry.isEnded) append(events, this.#endEntry(entry, entry.item))
    }
    return events
  }

  #addEntry(key: unknown, item: JsonObject): Entry {
    const entry: Entry = { reader: openReader(item, this.#context), item, held: [], isEnded: false }
    this.#entries.set(key, entry)
    this.#waiting.push(entry)
    return entry
  }

  #endEntry(entry: Entry, item: JsonObject): AnswerEvent[] {
    if (entry.isEnded) return []
    const events = this.#emitInOrder(entry, entry.reader.finish(item))
    entry.isEnded = true
    return [...events, ...this.#emitHeld()]
  }

  #emitInOrder(entry: Entry, events: AnswerEvent[]): AnswerEvent[] {
    if (this.#waiting[0] === entry) return events
    append(entry.held, events)
    return []
  }

  #emitHeld(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    while (this.#waiting[0]?.isEnded) {
      this.#waiting.shift()
      append(events, this.#waiting[0]?.held.splice(0) ?? [])
    }
    return events
  }
}

// Spreading into push would overflow the stack for an item with a million events.
function append(target: AnswerEvent[], events: readonly AnswerEvent[]): void {
  for (const event of events) target.push(event)
}

function keyOf(event: JsonObject): unknown {
  return typeof event.output_index === 'number'
    ? event.output_index
    : (asText(event.item_id) ?? asText(asObject(event.item)?.id))
}
