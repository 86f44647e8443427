import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asArray, asObject, asText, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import {
  closeJsonEvent,
  readSseEvent,
  siftEvents,
  type Verdict,
  type Weigh,
} from '../../../wire/sse-event.ts'
import { SseFramer } from '../../../wire/sse-framer.ts'
import type { StreamTap } from '../../protocol.ts'
import { countGenerated } from '../measure.ts'
import { decodeStreamError } from '../reply/decode-error.ts'
import { blockReasonOf } from '../reply/decode-reply.ts'
import { decodeUsage } from '../reply/usage.ts'
import { encodeStreamError, MAX_EVENT_BYTES } from './frames.ts'

/** Reads a relayed stream. */
export class GenerationTap implements StreamTap {
  /** The format has no terminal event. */
  readonly isTerminated = false
  hasContent = false
  failure: SupplierFailure | null = null
  usage: Usage | null = null
  outputCharacters = 0
  readonly #framer = new SseFramer()
  readonly #begun = new Set<unknown>()
  readonly #finished = new Set<unknown>()
  #isBlocked = false

  get isComplete(): boolean {
    if (this.failure !== null) return false
    if (this.#begun.size === 0) return this.#isBlocked
    return this.#finished.size === this.#begun.size
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
    return encodeStreamError(error)
  }

  readonly #weigh: Weigh = (bytes, start, end) => this.#judge(bytes.subarray(start, end))

  #judge(bytes: Uint8Array): Verdict {
    const { data, name, isRecognised } = readSseEvent(bytes)
    // Clients of this format fail on comments and on the end marker of other formats.
    if (data === null) return isRecognised ? 'remove' : this.#failMalformed('bytes that are no event')
    if (data.startsWith('[DONE]')) return 'remove'
    const chunk = asObject(tryParseJson(data))
    if (chunk === null) return this.#failMalformed('an event that is not a JSON object')
    if (name === 'error' || (chunk.error !== undefined && chunk.error !== null)) {
      this.failure = decodeStreamError(chunk)
      return 'stop'
    }
    this.#readChunk(chunk)
    return 'forward'
  }

  #readChunk(chunk: JsonObject): void {
    asArray(chunk.candidates).forEach((candidate, position) => {
      this.#readCandidate(asObject(candidate) ?? {}, position)
    })
    if (blockReasonOf(chunk) !== null) {
      this.#isBlocked = true
      this.hasContent = true
    }
    this.usage = decodeUsage(chunk.usageMetadata) ?? this.usage
  }

  #readCandidate(candidate: JsonObject, position: number): void {
    const index = candidate.index ?? position
    const isFinished = asText(candidate.finishReason) !== null
    this.#begun.add(index)
    if (isFinished) this.#finished.add(index)
    this.outputCharacters += countGenerated(candidate)
    this.hasContent ||= isFinished || asArray(asObject(candidate.content)?.parts).length > 0
  }

  #failMalformed(what: string): Verdict {
    const message = `The supplier's stream has ${what}.`
    this.failure = { kind: 'malformed', status: null, message, param: null, retryAfterSeconds: null }
    return 'stop'
  }
}
