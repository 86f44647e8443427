import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asArray, asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'
import { closeEvent, joinBytes, siftEvents, type Verdict, type Weigh } from '../../../wire/sse-event.ts'
import { SseFramer } from '../../../wire/sse-framer.ts'
import { decodeErrorEvent } from '../../error-body.ts'
import type { StreamTap } from '../../protocol.ts'
import { countGenerated, decodeUsage } from '../reply/usage.ts'
import { ChunkPattern } from './chunk-pattern.ts'
import { encodeStreamError } from './encode-stream.ts'
import { isWholeEvent, MAX_EVENT_BYTES, malformed, readFrame } from './frame.ts'

/** Stops the search for a pattern in a stream whose events have none. */
const MAX_PATTERN_MISSES = 4
const DONE = new TextEncoder().encode('data: [DONE]\n\n')

export interface TapOptions {
  /** False when the gateway asked for usage and the client did not. The usage chunk is then removed. */
  readonly keepsUsageChunk: boolean
}

/** Reads a relayed chat-completion stream. */
export class UsageTap implements StreamTap {
  hasContent = false
  isTerminated = false
  failure: SupplierFailure | null = null
  usage: Usage | null = null
  outputCharacters = 0
  readonly #framer = new SseFramer()
  readonly #keepsUsageChunk: boolean
  #pattern: ChunkPattern | null = null
  #patternMisses = 0
  readonly #begunChoices = new Set<unknown>()
  readonly #finishedChoices = new Set<unknown>()

  constructor({ keepsUsageChunk }: TapOptions) {
    this.#keepsUsageChunk = keepsUsageChunk
  }

  // Some suppliers send no `[DONE]`. The answer is complete when every choice has a finish reason.
  get isComplete(): boolean {
    if (this.failure !== null) return false
    return this.isTerminated || this.#haveAllFinished()
  }

  push(bytes: Uint8Array): Uint8Array | null {
    if (this.failure !== null) return null
    const framed = this.#framer.push(bytes)
    if (framed !== null) return siftEvents(framed, this.#weigh)
    if (this.#framer.pendingLength > MAX_EVENT_BYTES) this.#fail(malformed('an event without end'))
    return null
  }

  end(): Uint8Array | null {
    const rest = this.failure === null ? this.#framer.finish() : null
    const last = rest === null ? null : this.#readRest(rest)
    if (this.isTerminated || !this.isComplete) return last
    // Clients treat a stream without `[DONE]` as failed, so the gateway adds it.
    this.isTerminated = true
    return last === null ? DONE : joinBytes([last, DONE])
  }

  fail(error: GatewayError): string {
    return encodeStreamError(error)
  }

  /** Forwards the last event only if it lacks nothing but its blank line. */
  #readRest(rest: Uint8Array): Uint8Array | null {
    if (!isWholeEvent(rest)) return null
    return siftEvents(closeEvent(rest), this.#weigh)
  }

  /** Returns true when the event matches the pattern and only adds text. */
  #countPlainText(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#pattern === null || this.isTerminated) return false
    const characters = this.#pattern.match(bytes, start, end)
    if (characters === null) return false
    this.outputCharacters += characters
    this.#patternMisses = 0
    return true
  }

  readonly #weigh: Weigh = (bytes, start, end) =>
    this.#countPlainText(bytes, start, end) ? 'forward' : this.#inspect(bytes.subarray(start, end))

  #inspect(bytes: Uint8Array): Verdict {
    const frame = readFrame(bytes)
    // Whatever follows `[DONE]` must not turn a complete answer into a failure.
    if (this.isTerminated) return frame.type === 'ignored' ? 'forward' : 'remove'
    switch (frame.type) {
      case 'ignored':
        return 'forward'
      case 'failure':
        return this.#fail(frame.failure)
      case 'done':
        this.isTerminated = true
        return 'forward'
      case 'chunk':
        this.#learnPattern(bytes, frame.chunk)
        return this.#readChunk(frame.chunk)
    }
  }

  #learnPattern(bytes: Uint8Array, chunk: JsonObject): void {
    if (this.#patternMisses >= MAX_PATTERN_MISSES) return
    const pattern = ChunkPattern.learn(bytes, chunk)
    if (pattern === null) return
    this.#pattern = pattern
    this.#patternMisses++
  }

  #readChunk(chunk: JsonObject): Verdict {
    const choices = asArray(chunk.choices)
    for (const item of choices) {
      const choice = asObject(item) ?? {}
      if (isObject(choice.error)) return this.#fail(decodeErrorEvent(choice))
      this.#readChoice(choice)
    }
    if (!isObject(chunk.usage)) {
      // Some suppliers report usage inside the choice that ends.
      this.usage = decodeUsage(asObject(choices[0])?.usage) ?? this.usage
      return 'forward'
    }
    this.usage = decodeUsage(chunk.usage) ?? this.usage
    const isUsageOnly = Array.isArray(chunk.choices) && choices.length === 0
    return isUsageOnly && !this.#keepsUsageChunk ? 'remove' : 'forward'
  }

  #readChoice({ index, delta, finish_reason }: JsonObject): void {
    const isFinished = typeof finish_reason === 'string' && finish_reason !== ''
    this.#begunChoices.add(index ?? 0)
    if (isFinished) this.#finishedChoices.add(index ?? 0)
    const written = asObject(delta)
    if (written !== null) this.outputCharacters += countGenerated(written)
    this.hasContent ||= isFinished || (written !== null && Object.keys(written).length > 0)
  }

  #haveAllFinished(): boolean {
    return this.#finishedChoices.size > 0 && this.#finishedChoices.size === this.#begunChoices.size
  }

  #fail(failure: SupplierFailure): Verdict {
    this.failure = failure
    return 'stop'
  }
}
