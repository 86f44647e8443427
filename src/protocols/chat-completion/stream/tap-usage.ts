import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { type AddedText, EventPattern } from '../../../wire/event-pattern.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import {
  closeLastEvent,
  joinBytes,
  SseFramer,
  siftEvents,
  type Verdict,
  type Weigh,
} from '../../../wire/sse-events.ts'
import { decodeErrorEvent } from '../../error-body.ts'
import type { StreamTap } from '../../protocol.ts'
import { readSupplierEvent } from '../../supplier-event.ts'
import { decodeUsage, encodeStreamError } from '../../token-details.ts'
import { countGenerated } from '../reply/usage.ts'

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
  readonly #pattern = new EventPattern()
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
    const framed = this.failure === null ? this.#framer.push(bytes) : null
    return framed === null ? null : siftEvents(framed, this.#weigh)
  }

  /** Forwards the last event only if it lacks nothing but its blank line. */
  end(): Uint8Array | null {
    const rest = this.failure === null ? this.#framer.finish() : null
    const framed = rest === null ? null : closeLastEvent(rest)
    const last = framed === null ? null : siftEvents(framed, this.#weigh)
    if (this.isTerminated || !this.isComplete) return last
    // Clients treat a stream without `[DONE]` as failed, so the gateway adds it.
    this.isTerminated = true
    return last === null ? DONE : joinBytes([last, DONE])
  }

  fail(error: GatewayError): string {
    return encodeStreamError(error)
  }

  readonly #weigh: Weigh = (bytes, start, end) => {
    const characters = this.isTerminated ? null : this.#pattern.match(bytes, start, end)
    if (characters === null) return this.#inspect(bytes.subarray(start, end))
    this.outputCharacters += characters
    return 'forward'
  }

  #inspect(bytes: Uint8Array): Verdict {
    const event = readSupplierEvent(bytes, decodeErrorEvent)
    // Whatever follows `[DONE]` must not turn a complete answer into a failure.
    if (this.isTerminated) return event.type === 'ignored' ? 'forward' : 'remove'
    switch (event.type) {
      case 'ignored':
        return 'forward'
      case 'failure':
        return this.#fail(event.failure)
      case 'done':
        this.isTerminated = true
        return 'forward'
      case 'object': {
        const added = findAddedText(event.value)
        if (added !== null) this.#pattern.learn(bytes, added, 'obfuscation')
        return this.#readChunk(event.value)
      }
    }
  }

  #readChunk(chunk: JsonObject): Verdict {
    const choices = asArray(chunk.choices)
    for (const item of choices) {
      const choice = asObject(item) ?? {}
      if (asObject(choice.error) !== null) return this.#fail(decodeErrorEvent(choice))
      this.#readChoice(choice)
    }
    if (asObject(chunk.usage) === null) {
      // Some suppliers report usage inside the choice that ends.
      this.usage = decodeUsage(asObject(choices[0])?.usage, chunk.service_tier) ?? this.usage
      return 'forward'
    }
    this.usage = decodeUsage(chunk.usage, chunk.service_tier) ?? this.usage
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

const WRITTEN_FIELDS = ['content', 'reasoning_content', 'reasoning']

/** The text of a chunk that adds text to one choice and does nothing else; null for any other chunk. */
export function findAddedText(chunk: JsonObject): AddedText | null {
  const choices = asArray(chunk.choices)
  const choice = asObject(choices[0])
  const delta = asObject(choice?.delta)
  if (choices.length !== 1 || !delta || choice?.finish_reason || chunk.usage || chunk.error) return null
  const characters = countGenerated(delta)
  if (characters === 0) return null
  for (const name of WRITTEN_FIELDS) {
    const text = delta[name]
    if (typeof text === 'string' && text.length === characters) return { name, text }
  }
  return null
}
