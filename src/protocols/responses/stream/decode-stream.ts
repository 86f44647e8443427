import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, asText, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { readSseEvent } from '../../../wire/sse-event.ts'
import { type FramedEvents, SseFramer } from '../../../wire/sse-framer.ts'
import type { StreamDecoder, SupplyContext } from '../../translation.ts'
import { decodeFailedResponse, decodeStreamError } from '../reply/decode-error.ts'
import { decodeFinish } from '../reply/finish.ts'
import { decodeUsage } from '../reply/usage.ts'
import { OutputQueue } from './output-queue.ts'
import { isDone, LONGEST_EVENT_BYTES, malformed } from './stream-limits.ts'

/** Reads a supplier's stream into answer events. */
export class ResponsesDecoder implements StreamDecoder {
  failure: SupplierFailure | null = null
  readonly #framer = new SseFramer()
  readonly #queue: OutputQueue
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
    if (framed !== null) return this.#readAll(framed)
    if (this.#framer.pendingLength > LONGEST_EVENT_BYTES) this.failure = malformed('an event without end')
    return []
  }

  end(): AnswerEvent[] {
    const rest = this.#isOver ? null : this.#framer.finish()
    const events = rest === null ? [] : this.#readAll({ bytes: rest, ends: [rest.length] })
    if (!this.#isOver) this.failure = malformed('no end')
    return events
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.failure !== null
  }

  #readAll({ bytes, ends }: FramedEvents): AnswerEvent[] {
    const events: AnswerEvent[] = []
    let start = 0
    for (const end of ends) {
      if (this.#isOver) break
      for (const event of this.#readFrame(bytes.subarray(start, end))) events.push(event)
      start = end
    }
    return events
  }

  #readFrame(bytes: Uint8Array): AnswerEvent[] {
    const { data, isRecognised } = readSseEvent(bytes)
    if (data === null) {
      if (!isRecognised) this.failure = malformed('bytes that are no event')
      return []
    }
    if (isDone(data)) return []
    const event = asObject(tryParseJson(data))
    if (event === null) this.failure = malformed('an event that is not a JSON object')
    return event === null ? [] : this.#read(event)
  }

  #read(event: JsonObject): AnswerEvent[] {
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        return this.#start(asObject(event.response))
      case 'response.output_item.added':
        return this.#tell(this.#queue.start(event))
      case 'response.output_item.done':
        return this.#tell(this.#queue.end(event))
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(asObject(event.response) ?? {}, event.type)
      case 'response.failed':
        this.failure = decodeFailedResponse(asObject(event.response) ?? {})
        return []
      default:
        return this.#readOther(event)
    }
  }

  #readOther(event: JsonObject): AnswerEvent[] {
    if (event.type !== 'error' && asObject(event.error) === null) return this.#tell(this.#queue.read(event))
    this.failure = decodeStreamError(event)
    return []
  }

  #start(response: JsonObject | null): AnswerEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [{ type: 'answer-start', id: asText(response?.id) ?? '' }]
  }

  #tell(events: AnswerEvent[]): AnswerEvent[] {
    for (const event of events) {
      if (event.type !== 'part-start') continue
      this.#hasCalls ||= event.part.type === 'tool-call'
      this.#hasRefusal ||= event.part.type === 'refusal'
    }
    return this.#hasStarted || events.length === 0 ? events : [...this.#start(null), ...events]
  }

  #end(response: JsonObject, type: string): AnswerEvent[] {
    const opening = this.#start(response)
    const rest = this.#tell(this.#queue.endAll(response.output))
    const status = type === 'response.incomplete' ? 'incomplete' : 'completed'
    const finish = decodeFinish(
      { status, ...response },
      { hasCalls: this.#hasCalls, hasRefusal: this.#hasRefusal },
    )
    const usage = decodeUsage(response.usage)
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
