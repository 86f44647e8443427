import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import {
  closeJsonEvent,
  readSseEvent,
  siftEvents,
  type Verdict,
  type Weigh,
} from '../../../wire/sse-event.ts'
import { SseFramer } from '../../../wire/sse-framer.ts'
import type { StreamTap } from '../../protocol.ts'
import { MAX_EVENT_BYTES } from '../format.ts'
import { countBlock, countDelta, isTooDeep } from '../measure.ts'
import { decodeStreamError } from '../reply/decode-error.ts'
import { UsageGatherer } from '../reply/usage.ts'
import { DeltaPattern } from './delta-pattern.ts'
import { errorFrame } from './encode-stream.ts'

/** Reads a relayed messages stream and replaces the model name with the one the client asked for. */
export class UsageTap implements StreamTap {
  hasContent = false
  isTerminated = false
  failure: SupplierFailure | null = null
  outputCharacters = 0
  readonly #framer = new SseFramer()
  readonly #usage = new UsageGatherer()
  readonly #pattern = new DeltaPattern()
  readonly #model: string

  constructor(model: string) {
    this.#model = model
  }

  get usage(): Usage | null {
    return this.#usage.usage
  }

  // Clients treat a stream without its last event as broken.
  get isComplete(): boolean {
    return this.isTerminated && this.failure === null
  }

  push(bytes: Uint8Array): Uint8Array | null {
    if (this.failure !== null) return null
    const framed = this.#framer.push(bytes)
    if (framed !== null) return siftEvents(framed, this.#weigh)
    if (this.#framer.pendingLength > MAX_EVENT_BYTES) this.#failMalformed('an event without end')
    return null
  }

  /** Forwards an event at the end of the stream only if it lacks nothing but its blank line. */
  end(): Uint8Array | null {
    const rest = this.failure === null ? this.#framer.finish() : null
    const last = rest === null ? null : closeJsonEvent(rest)
    return last === null ? null : siftEvents(last, this.#weigh)
  }

  fail(error: GatewayError): string {
    return errorFrame(error)
  }

  readonly #weigh: Weigh = (bytes, start, end) =>
    this.#countPlainDelta(bytes, start, end) ? 'forward' : this.#judge(bytes.subarray(start, end))

  /** True when the event matches an earlier text delta and has been counted. */
  #countPlainDelta(bytes: Uint8Array, start: number, end: number): boolean {
    const characters = this.isTerminated ? null : this.#pattern.match(bytes, start, end)
    if (characters === null) return false
    this.outputCharacters += characters
    return true
  }

  #judge(bytes: Uint8Array): Verdict {
    const { data, name, isRecognised } = readSseEvent(bytes)
    if (data === null)
      return isRecognised || this.isTerminated ? 'forward' : this.#failMalformed('bytes that are no event')
    // Whatever follows the last event must not spoil a complete answer.
    if (this.isTerminated) return 'remove'
    // Other formats end with this marker; clients of this format skip it.
    if (data.startsWith('[DONE]')) return 'forward'
    const event = asObject(tryParseJson(data))
    if (event === null) return this.#failMalformed('an event that is not a JSON object')
    if (name === 'error' || event.type === 'error' || isObject(event.error)) {
      return this.#fail(decodeStreamError(event))
    }
    this.#pattern.learn(bytes, event)
    this.#read(event)
    return (event.type === 'message_start' && nameModel(event, this.#model)) || 'forward'
  }

  #read(event: JsonObject): void {
    switch (event.type) {
      case 'message_start':
        this.#usage.add(asObject(event.message)?.usage)
        return
      case 'content_block_start':
        this.hasContent = true
        this.outputCharacters += countBlock(asObject(event.content_block) ?? {})
        return
      case 'content_block_delta':
        this.hasContent = true
        this.outputCharacters += countDelta(asObject(event.delta) ?? {})
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

  #failMalformed(what: string): Verdict {
    const message = `The supplier's stream has ${what}.`
    return this.#fail({ kind: 'malformed', status: null, message, param: null, retryAfterSeconds: null })
  }

  #fail(failure: SupplierFailure): Verdict {
    this.failure = failure
    return 'stop'
  }
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
