import type { Usage } from '../../conversation/usage.ts'
import type { GatewayError } from '../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { EventPattern } from '../../wire/event-pattern.ts'
import { asArray, asObject, type JsonObject, textLength } from '../../wire/json-values.ts'
import {
  closeLastEvent,
  joinBytes,
  SseFramer,
  siftEvents,
  type Verdict,
  type Weigh,
} from '../../wire/sse-events.ts'
import { decodeErrorEvent } from '../error-body.ts'
import type { StreamTap } from '../protocol.ts'
import { readSupplierEvent } from '../supplier-event.ts'
import { decodeUsage, encodeStreamError } from '../token-details.ts'

const DONE = new TextEncoder().encode('data: [DONE]\n\n')

export interface TapOptions {
  /** False when the gateway asked for usage and the client did not. The usage chunk is then removed. */
  readonly keepsUsageChunk: boolean
  /** Answers that must end before the stream is complete: a choice without any text may not have begun. */
  readonly choices: number
}

/** Reads a relayed text-completion stream. */
export class CompletionTap implements StreamTap {
  hasContent = false
  isTerminated = false
  failure: SupplierFailure | null = null
  usage: Usage | null = null
  outputCharacters = 0
  readonly #framer = new SseFramer()
  readonly #options: TapOptions
  readonly #pattern = new EventPattern()
  readonly #finishedChoices = new Set<unknown>()

  constructor(options: TapOptions) {
    this.#options = options
  }

  // Some suppliers send no `[DONE]`.
  get isComplete(): boolean {
    if (this.failure !== null) return false
    return this.isTerminated || this.#finishedChoices.size >= this.#options.choices
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
      case 'object':
        this.#learn(bytes, event.value)
        return this.#readChunk(event.value)
    }
  }

  /** Remembers what a chunk looks like that adds text to one choice and does nothing else. */
  #learn(bytes: Uint8Array, chunk: JsonObject): void {
    const choices = asArray(chunk.choices)
    const choice = asObject(choices[0])
    if (choices.length !== 1 || choice === null || choice.finish_reason || chunk.usage) return
    const { text } = choice
    if (typeof text === 'string' && text !== '') {
      this.#pattern.learn(bytes, { name: 'text', text }, 'obfuscation')
    }
  }

  #readChunk(chunk: JsonObject): Verdict {
    const choices = asArray(chunk.choices)
    for (const item of choices) {
      const choice = asObject(item) ?? {}
      if (asObject(choice.error) !== null) return this.#fail(decodeErrorEvent(choice))
      const { index, text, finish_reason } = choice
      if (typeof finish_reason === 'string' && finish_reason !== '') this.#finishedChoices.add(index ?? 0)
      this.outputCharacters += textLength(text)
    }
    this.hasContent ||= choices.length > 0
    if (asObject(chunk.usage) === null) return 'forward'
    this.usage = decodeUsage(chunk.usage, chunk.service_tier) ?? this.usage
    const isUsageOnly = Array.isArray(chunk.choices) && choices.length === 0
    return isUsageOnly && !this.#options.keepsUsageChunk ? 'remove' : 'forward'
  }

  #fail(failure: SupplierFailure): Verdict {
    this.failure = failure
    return 'stop'
  }
}
