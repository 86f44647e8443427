import type { Usage } from '../../../conversation/usage.ts'
import { hiddenCharacters } from '../../../conversation/usage-report.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { type AddedText, EventPattern } from '../../../wire/event-pattern.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import { closeLastEvent, SseFramer, siftEvents, type Verdict, type Weigh } from '../../../wire/sse-events.ts'
import type { StreamTap } from '../../protocol.ts'
import { readSupplierEvent } from '../../supplier-event.ts'
import { countBlock, countDelta, isTooDeep } from '../measure.ts'
import { decodeStreamError } from '../reply/decode-error.ts'
import { UsageGatherer } from '../reply/usage.ts'
import { errorFrame } from './encode-stream.ts'

/** Reads a relayed messages stream and replaces the model name with the one the client asked for. */
export class UsageTap implements StreamTap {
  hasContent = false
  isTerminated = false
  failure: SupplierFailure | null = null
  outputCharacters = 0
  readonly #framer = new SseFramer()
  readonly #usage = new UsageGatherer()
  readonly #pattern = new EventPattern()
  readonly #model: string
  readonly #requestId: string | undefined
  /** Of the blocks before the open one. */
  #charactersBefore = 0

  constructor(model: string, requestId?: string) {
    this.#model = model
    this.#requestId = requestId
  }

  get usage(): Usage | null {
    return this.#usage.usage
  }

  // Clients treat a stream without its last event as broken.
  get isComplete(): boolean {
    return this.isTerminated && this.failure === null
  }

  push(bytes: Uint8Array): Uint8Array | null {
    const framed = this.failure === null ? this.#framer.push(bytes) : null
    return framed === null ? null : siftEvents(framed, this.#weigh)
  }

  /** Forwards the last event only if it lacks nothing but its blank line. */
  end(): Uint8Array | null {
    const rest = this.failure === null ? this.#framer.finish() : null
    const last = rest === null ? null : closeLastEvent(rest)
    return last === null ? null : siftEvents(last, this.#weigh)
  }

  fail(error: GatewayError): string {
    return errorFrame(error, this.#requestId)
  }

  readonly #weigh: Weigh = (bytes, start, end) => {
    const characters = this.isTerminated ? null : this.#pattern.match(bytes, start, end)
    if (characters === null) return this.#inspect(bytes.subarray(start, end))
    this.outputCharacters += characters
    return 'forward'
  }

  #inspect(bytes: Uint8Array): Verdict {
    const event = readSupplierEvent(bytes, decodeStreamError)
    // Whatever follows the last event must not turn a complete answer into a failure.
    if (this.isTerminated) return event.type === 'ignored' ? 'forward' : 'remove'
    switch (event.type) {
      case 'ignored':
      case 'done':
        return 'forward'
      case 'failure':
        this.failure = event.failure
        return 'stop'
      case 'object': {
        const added = findAddedText(event.value)
        if (added !== null) this.#pattern.learn(bytes, added)
        this.#read(event.value)
        const isStart = event.value.type === 'message_start'
        return (isStart && nameModel(event.value, this.#model)) || 'forward'
      }
    }
  }

  #read(event: JsonObject): void {
    switch (event.type) {
      case 'message_start':
        this.#usage.add(asObject(event.message)?.usage)
        return
      case 'content_block_start':
        this.hasContent = true
        this.#charactersBefore = this.outputCharacters
        this.#readBlock(asObject(event.content_block) ?? {})
        return
      case 'content_block_delta':
        this.hasContent = true
        this.#readDelta(asObject(event.delta) ?? {})
        return
      case 'message_delta':
        this.hasContent = true
        this.#usage.add(event.usage)
        return
      case 'message_stop':
        this.hasContent = true
        this.isTerminated = true
    }
  }

  #readBlock(block: JsonObject): void {
    this.outputCharacters += countBlock(block)
    if (block.type === 'redacted_thinking') this.outputCharacters += hiddenCharacters(block.data, 0)
  }

  /** A signature holds the whole thought, of which only a summary may be shown. */
  #readDelta(delta: JsonObject): void {
    this.outputCharacters += countDelta(delta)
    if (delta.type !== 'signature_delta') return
    const shown = this.outputCharacters - this.#charactersBefore
    this.outputCharacters += hiddenCharacters(delta.signature, shown)
  }
}

/** Deltas that carry generated text; a signature is not generated text. */
const WRITTEN_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])

/** The text of a delta that has no other members that could matter; null for any other event. */
export function findAddedText(event: JsonObject): AddedText | null {
  if (event.type !== 'content_block_delta') return null
  const delta = asObject(event.delta)
  const name = WRITTEN_FIELDS.get(delta?.type)
  if (delta === null || name === undefined || Object.keys(delta).length !== 2) return null
  const text = delta[name]
  return typeof text === 'string' ? { name, text } : null
}

const encoder = new TextEncoder()

/**
 * The first event with the model name that the client asked for; null when it already has that name or nests too
 * deeply to serialize. Agents compare the names: they drop the thoughts of a model with another name from the next
 * request, which the supplier then rejects.
 */
function nameModel(event: JsonObject, model: string): Uint8Array | null {
  const message = asObject(event.message)
  if (typeof message?.model !== 'string' || message.model === model || isTooDeep(event)) return null
  const named = { ...event, message: { ...message, model } }
  return encoder.encode(`event: message_start\ndata: ${JSON.stringify(named)}\n\n`)
}
