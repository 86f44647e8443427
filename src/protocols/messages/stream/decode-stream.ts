import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, asText, isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { readSseEvent } from '../../../wire/sse-event.ts'
import { type FramedEvents, SseFramer } from '../../../wire/sse-framer.ts'
import type { StreamDecoder } from '../../translation.ts'
import { MAX_EVENT_BYTES } from '../format.ts'
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
  /** Why the answer ended, as the supplier reports it, possibly more than once. */
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
    if (this.#framer.pendingLength > MAX_EVENT_BYTES) this.#failMalformed('has an event without end')
    return []
  }

  end(): AnswerEvent[] {
    if (this.failure !== null || this.#isOver) return []
    const rest = this.#framer.finish()
    const { data } = rest === null ? { data: null } : readSseEvent(rest)
    // The last event may lack its blank line. A truncated event is not read.
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
        return this.#emitBlock(this.#blocks.open(event.index, asObject(event.content_block) ?? {}))
      case 'content_block_delta':
        return this.#emitBlock(this.#blocks.add(event.index, asObject(event.delta) ?? {}))
      case 'content_block_stop':
        return this.#emitBlock(this.#blocks.close(event.index))
      case 'message_delta':
        return this.#noteEnding(event)
      case 'message_stop':
        return this.#end()
      default:
        // Pings, and events added to the format later.
        return []
    }
  }

  #start(message: JsonObject): AnswerEvent[] {
    this.#usage.add(message.usage)
    return [...this.#begin(asText(message.id) ?? ''), ...this.#emitUsageBetweenBlocks()]
  }

  #begin(id: string): AnswerEvent[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    return [{ type: 'answer-start', id }]
  }

  #emitBlock(events: AnswerEvent[] | null): AnswerEvent[] {
    if (events === null) return this.#failMalformed('has content that belongs to no block')
    return this.#hasBegun ? events : [...this.#begin(''), ...events]
  }

  #noteEnding({ delta, usage }: JsonObject): AnswerEvent[] {
    const ending = asObject(delta) ?? {}
    if (ending.stop_reason) this.#ending = ending
    this.#usage.add(usage)
    const closing = ending.stop_reason ? this.#blocks.closeAll() : []
    return [...this.#begin(''), ...closing, ...this.#emitUsageBetweenBlocks()]
  }

  #end(): AnswerEvent[] {
    this.#isOver = true
    const closing = this.#blocks.closeAll()
    const finish = decodeFinish(this.#ending, this.#blocks.hasCalls)
    return [
      ...this.#begin(''),
      ...closing,
      { type: 'choice-end', choice: 0, finish },
      ...this.#emitUsage(),
      { type: 'answer-end' },
    ]
  }

  #emitUsage(): AnswerEvent[] {
    const { usage } = this.#usage
    return usage === null ? [] : [{ type: 'usage', usage }]
  }

  /** Usage cannot be emitted inside a part; it is emitted again at the end. */
  #emitUsageBetweenBlocks(): AnswerEvent[] {
    return this.#blocks.isOpen ? [] : this.#emitUsage()
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
