import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, asText, isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { readSseEvent } from '../../../wire/sse-event.ts'
import { type FramedEvents, SseFramer } from '../../../wire/sse-framer.ts'
import type { StreamDecoder } from '../../translation.ts'
import { LONGEST_EVENT_BYTES } from '../format.ts'
import { decodeStreamError } from '../reply/decode-error.ts'
import type { Origin } from '../reply/decode-reply.ts'
import { decodeFinish } from '../reply/finish.ts'
import { UsageGatherer } from '../reply/usage.ts'
import { BlockQueue } from './decode-blocks.ts'

/** Reads a supplier's messages stream into answer events. */
export class MessagesStreamDecoder implements StreamDecoder {
  failure: SupplierFailure | null = null
  readonly #framer = new SseFramer()
  readonly #usage = new UsageGatherer()
  readonly #blocks: BlockQueue
  /** Why the answer ended, in the supplier's words; it may be told more than once. */
  #ending: JsonObject = {}
  #hasBegun = false
  #isOver = false

  constructor(origin: Origin) {
    this.#blocks = new BlockQueue(origin)
  }

  push(bytes: Uint8Array): AnswerEvent[] {
    if (this.failure !== null || this.#isOver) return []
    const framed = this.#framer.push(bytes)
    if (framed !== null) return this.#readAll(framed)
    if (this.#framer.pendingLength > LONGEST_EVENT_BYTES) this.#failMalformed('has an event without end')
    return []
  }

  end(): AnswerEvent[] {
    if (this.failure !== null || this.#isOver) return []
    const rest = this.#framer.finish()
    const { data } = rest === null ? { data: null } : readSseEvent(rest)
    // The last event may lack its blank line; one that was cut off is not read.
    const isWhole = data !== null && tryParseJson(data) !== undefined
    const events = isWhole && rest !== null ? this.#readEvent(rest) : []
    if (!this.#isOver && this.failure === null) this.#failMalformed('ended before its last event')
    return events
  }

  #readAll({ bytes, ends }: FramedEvents): AnswerEvent[] {
    const events: AnswerEvent[] = []
    let start = 0
    for (const end of ends) {
      if (this.failure !== null || this.#isOver) break
      for (const event of this.#readEvent(bytes.subarray(start, end))) events.push(event)
      start = end
    }
    return events
  }

  #readEvent(bytes: Uint8Array): AnswerEvent[] {
    const { data, name, isRecognised } = readSseEvent(bytes)
    if (data === null) return isRecognised ? [] : this.#failMalformed('has bytes that are no event')
    if (data.startsWith('[DONE]')) return []
    const event = asObject(tryParseJson(data))
    if (event === null) return this.#failMalformed('has an event that is not a JSON object')
    if (name === 'error' || event.type === 'error' || isObject(event.error)) {
      return this.#fail(decodeStreamError(event))
    }
    return this.#decode(event)
  }

  #decode(event: JsonObject): AnswerEvent[] {
    switch (event.type) {
      case 'message_start':
        return this.#start(asObject(event.message) ?? {})
      case 'content_block_start':
        return this.#tellBlock(this.#blocks.open(event.index, asObject(event.content_block) ?? {}))
      case 'content_block_delta':
        return this.#tellBlock(this.#blocks.add(event.index, asObject(event.delta) ?? {}))
      case 'content_block_stop':
        return this.#tellBlock(this.#blocks.close(event.index))
      case 'message_delta':
        return this.#noteEnding(event)
      case 'message_stop':
        return this.#end()
      default:
        // Pings, and whatever the format will have learnt to say by then.
        return []
    }
  }

  #start(message: JsonObject): AnswerEvent[] {
    this.#usage.add(message.usage)
    return [...this.#begin(asText(message.id) ?? ''), ...this.#tellUsageBetween()]
  }

  #begin(id: string): AnswerEvent[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    return [{ type: 'answer-start', id }]
  }

  #tellBlock(events: AnswerEvent[] | null): AnswerEvent[] {
    if (events === null) return this.#failMalformed('has content that belongs to no block')
    return this.#hasBegun ? events : [...this.#begin(''), ...events]
  }

  #noteEnding({ delta, usage }: JsonObject): AnswerEvent[] {
    const told = asObject(delta) ?? {}
    if (told.stop_reason) this.#ending = told
    this.#usage.add(usage)
    const closing = told.stop_reason ? this.#blocks.closeAll() : []
    return [...this.#begin(''), ...closing, ...this.#tellUsageBetween()]
  }

  #end(): AnswerEvent[] {
    this.#isOver = true
    const closing = this.#blocks.closeAll()
    const finish = decodeFinish(this.#ending, this.#blocks.hasCalls)
    return [
      ...this.#begin(''),
      ...closing,
      { type: 'choice-end', choice: 0, finish },
      ...this.#tellUsage(),
      { type: 'answer-end' },
    ]
  }

  #tellUsage(): AnswerEvent[] {
    const { usage } = this.#usage
    return usage === null ? [] : [{ type: 'usage', usage }]
  }

  /** Totals have no place inside a part; they are told again at the end. */
  #tellUsageBetween(): AnswerEvent[] {
    return this.#blocks.isOpen ? [] : this.#tellUsage()
  }

  #failMalformed(what: string): AnswerEvent[] {
    const message = `The supplier's stream ${what}.`
    return this.#fail({ kind: 'malformed', status: null, message, param: null, retryAfterSeconds: null })
  }

  #fail(failure: SupplierFailure): AnswerEvent[] {
    this.failure = failure
    return []
  }
}
