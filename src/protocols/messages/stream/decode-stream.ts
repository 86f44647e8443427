import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { closeLastEvent, SseFramer } from '../../../wire/sse-events.ts'
import { decodeEvents, malformed, readSupplierEvent } from '../../supplier-event.ts'
import type { StreamDecoder } from '../../translation.ts'
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
    return framed === null ? [] : decodeEvents(framed, this.#readEvent)
  }

  end(): AnswerEvent[] {
    if (this.failure !== null || this.#isOver) return []
    const rest = this.#framer.finish()
    // The last event may lack its blank line. A truncated event is not read.
    const events = rest === null || closeLastEvent(rest) === null ? [] : this.#readEvent(rest)
    if (!this.#isOver && this.failure === null) this.#fail(malformed('no end'))
    return events
  }

  readonly #readEvent = (bytes: Uint8Array): AnswerEvent[] => {
    if (this.failure !== null || this.#isOver) return []
    const event = readSupplierEvent(bytes, decodeStreamError)
    if (event.type === 'failure') return this.#fail(event.failure)
    return event.type === 'object' ? this.#decode(event.value) : []
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
    if (events === null) return this.#fail(malformed('content that belongs to no block'))
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

  #fail(failure: SupplierFailure): AnswerEvent[] {
    this.failure = failure
    return []
  }
}
