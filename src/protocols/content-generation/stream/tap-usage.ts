import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { closeLastEvent, SseFramer, siftEvents, type Verdict, type Weigh } from '../../../wire/sse-events.ts'
import type { StreamTap } from '../../protocol.ts'
import { readSupplierEvent } from '../../supplier-event.ts'
import { countGenerated, countImages } from '../measure.ts'
import { decodeStreamError } from '../reply/decode-error.ts'
import { blockReasonOf } from '../reply/decode-reply.ts'
import { decodeUsage, noteSearches, type WebSearches } from '../reply/usage.ts'
import { encodeStreamError } from './frames.ts'

/** Reads a relayed stream. */
export class GenerationTap implements StreamTap {
  /** The format has no terminal event. */
  readonly isTerminated = false
  hasContent = false
  failure: SupplierFailure | null = null
  usage: Usage | null = null
  outputCharacters = 0
  inlineImages = 0
  readonly #framer = new SseFramer()
  readonly #begun = new Set<unknown>()
  readonly #finished = new Set<unknown>()
  #searches: WebSearches | null = null
  #isBlocked = false

  get isComplete(): boolean {
    if (this.failure !== null) return false
    if (this.#begun.size === 0) return this.#isBlocked
    return this.#finished.size === this.#begun.size
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
    return encodeStreamError(error)
  }

  readonly #weigh: Weigh = (bytes, start, end): Verdict => {
    const event = readSupplierEvent(bytes.subarray(start, end), decodeStreamError)
    switch (event.type) {
      case 'ignored':
      case 'done':
        // Clients of this format fail on comments and on the end marker of other formats.
        return 'remove'
      case 'failure':
        this.failure = event.failure
        return 'stop'
      case 'object':
        this.#readChunk(event.value)
        return 'forward'
    }
  }

  #readChunk(chunk: JsonObject): void {
    asArray(chunk.candidates).forEach((candidate, position) => {
      this.#readCandidate(asObject(candidate) ?? {}, position)
    })
    if (blockReasonOf(chunk) !== null) {
      this.#isBlocked = true
      this.hasContent = true
    }
    this.usage = decodeUsage(chunk.usageMetadata, this.#searches) ?? this.usage
  }

  #readCandidate(candidate: JsonObject, position: number): void {
    this.#searches = noteSearches(this.#searches, candidate)
    const index = candidate.index ?? position
    const isFinished = asText(candidate.finishReason) !== null
    this.#begun.add(index)
    if (isFinished) this.#finished.add(index)
    this.outputCharacters += countGenerated(candidate)
    this.inlineImages += countImages(candidate)
    this.hasContent ||= isFinished || asArray(asObject(candidate.content)?.parts).length > 0
  }
}
