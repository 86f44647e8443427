import type { Usage } from '../../../conversation/usage.ts'
import { hiddenCharacters } from '../../../conversation/usage-report.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, type JsonObject, textLength } from '../../../wire/json-values.ts'
import { closeLastEvent, SseFramer, siftEvents, type Verdict, type Weigh } from '../../../wire/sse-events.ts'
import type { ShownState, StreamTap } from '../../protocol.ts'
import { readSupplierEvent } from '../../supplier-event.ts'
import { decodeFailedResponse, decodeStreamError } from '../reply/decode-error.ts'
import { countGenerated, decodeStreamUsage, noteHostedCall } from '../reply/usage.ts'
import { completeResponse, patchEventData } from '../state.ts'
import { failureFrames, frameOf } from './encode-stream.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Reads a relayed responses stream and completes the response objects in it. */
export class UsageTap implements StreamTap {
  hasContent = false
  isTerminated = false
  failure: SupplierFailure | null = null
  usage: Usage | null = null
  outputCharacters = 0
  /** The response of the last event, stored for later requests. Null until then. */
  finalReply: JsonObject | null = null
  readonly #framer = new SseFramer()
  #hostedCalls: readonly JsonObject[] | null = null
  #response: JsonObject | null = null
  #nextNumber = 0
  /** Whether anything was forwarded before the piece with the last event. */
  #hasForwarded = false
  /** Of the items before the last one. */
  #charactersBefore = 0
  readonly #shown: ShownState | undefined

  constructor(shown?: ShownState) {
    this.#shown = shown
  }

  get isComplete(): boolean {
    return this.isTerminated
  }

  push(bytes: Uint8Array): Uint8Array | null {
    const framed = this.failure === null ? this.#framer.push(bytes) : null
    const forwarded = framed === null ? null : siftEvents(framed, this.#weigh)
    if (forwarded !== null && !this.isTerminated) this.#hasForwarded = true
    return forwarded
  }

  /** Forwards the last event only if it lacks nothing but its blank line. */
  end(): Uint8Array | null {
    const rest = this.failure === null ? this.#framer.finish() : null
    const last = rest === null ? null : closeLastEvent(rest)
    return last === null ? null : siftEvents(last, this.#weigh)
  }

  fail(error: GatewayError, isEndWithheld = false): string {
    const response = this.#response && completeResponse(this.#response, this.#shown)
    const frames = failureFrames(error, response, this.#nextNumber)
    // Clients refuse a stream that does not begin with this event, which may be withheld with the last one.
    const isBegun = this.#hasForwarded || !isEndWithheld || response === null
    return isBegun ? frames : frameOf('response.created', 0, { response }) + frames
  }

  readonly #weigh: Weigh = (all, start, end) => {
    const bytes = all.subarray(start, end)
    const event = readSupplierEvent(bytes, decodeStreamError)
    if (event.type === 'ignored') return 'forward'
    // Whatever follows the last event must not turn a complete answer into a failure.
    if (this.isTerminated || event.type === 'done') return 'remove'
    if (event.type === 'failure') return this.#fail(event.failure)
    const verdict = this.#read(event.value)
    if (verdict === 'stop') return verdict
    const { sequence_number } = event.value
    this.#nextNumber = typeof sequence_number === 'number' ? sequence_number + 1 : this.#nextNumber + 1
    return verdict === 'patch' ? this.#patch(bytes, event.data, event.value) : verdict
  }

  #read(event: JsonObject): 'forward' | 'patch' | 'stop' {
    const response = asObject(event.response)
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#response = response ?? this.#response
        return 'patch'
      case 'response.completed':
      case 'response.incomplete':
        this.#terminate(response ?? {})
        return 'patch'
      case 'response.failed':
        return this.#fail(decodeFailedResponse(response ?? {}))
      case 'keepalive':
        return 'forward'
      default:
        return this.#readContent(event)
    }
  }

  #readContent(event: JsonObject): 'forward' {
    this.hasContent = true
    this.outputCharacters += textLength(event.delta)
    if (event.type === 'response.output_item.added') {
      this.#charactersBefore = this.outputCharacters
      this.outputCharacters += textLength(asObject(event.item)?.name)
    } else if (event.type === 'response.output_item.done') {
      this.#hostedCalls = noteHostedCall(this.#hostedCalls, event.item)
      // An encrypted item holds the whole thought, of which only a summary may be shown.
      const shown = this.outputCharacters - this.#charactersBefore
      this.outputCharacters += hiddenCharacters(asObject(event.item)?.encrypted_content, shown)
    }
    return 'forward'
  }

  #terminate(response: JsonObject): void {
    this.hasContent = true
    this.isTerminated = true
    this.finalReply = completeResponse(response, this.#shown)
    this.usage = decodeStreamUsage(response, this.#hostedCalls)
    // Some suppliers send only the whole response.
    this.outputCharacters = Math.max(this.outputCharacters, countGenerated(response.output))
  }

  #patch(bytes: Uint8Array, data: string, event: JsonObject): Verdict {
    const patched = patchEventData(data, event, this.#shown)
    if (patched === data) return 'forward'
    const text = decoder.decode(bytes)
    // Data on several lines becomes one line. JSON ignores line breaks outside of strings.
    if (!text.includes(data))
      return encoder.encode(`event: ${event.type}\ndata: ${patched.replaceAll('\n', ' ')}\n\n`)
    return encoder.encode(text.replace(data, () => patched))
  }

  #fail(failure: SupplierFailure): 'stop' {
    this.failure = failure
    return 'stop'
  }
}
