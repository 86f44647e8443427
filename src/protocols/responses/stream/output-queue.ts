import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { type ItemReader, openReader } from './item-reader.ts'

interface Entry {
  readonly reader: ItemReader
  /** The item as it was last seen whole. */
  readonly item: JsonObject
  /** What it has to say once the items before it have ended. */
  readonly held: AnswerEvent[]
  isEnded: boolean
}

/** Tells the items of a response one after the other, in the order they began, however their events interleave. */
export class OutputQueue {
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
    return this.#tell(entry, entry.reader.start(item))
  }

  read(event: JsonObject): AnswerEvent[] {
    const entry = this.#entries.get(keyOf(event))
    return entry === undefined || entry.isEnded ? [] : this.#tell(entry, entry.reader.read(event))
  }

  end(event: JsonObject): AnswerEvent[] {
    const item = asObject(event.item)
    const key = keyOf(event)
    if (item === null) return []
    return this.#endEntry(this.#entries.get(key) ?? this.#addEntry(key, item), item)
  }

  /** Ends every item with what the whole response says of it, and tells those that were never announced. */
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
    const events = this.#tell(entry, entry.reader.finish(item))
    entry.isEnded = true
    return [...events, ...this.#moveOn()]
  }

  #tell(entry: Entry, events: AnswerEvent[]): AnswerEvent[] {
    if (this.#waiting[0] === entry) return events
    append(entry.held, events)
    return []
  }

  #moveOn(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    while (this.#waiting[0]?.isEnded) {
      this.#waiting.shift()
      append(events, this.#waiting[0]?.held.splice(0) ?? [])
    }
    return events
  }
}

// Spreading into push would overflow the stack for an item of a million events.
function append(target: AnswerEvent[], events: readonly AnswerEvent[]): void {
  for (const event of events) target.push(event)
}

function keyOf(event: JsonObject): unknown {
  return typeof event.output_index === 'number'
    ? event.output_index
    : (asText(event.item_id) ?? asText(asObject(event.item)?.id))
}
