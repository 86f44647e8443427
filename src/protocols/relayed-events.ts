import { TokenCounter } from '../conversation/token-estimate.ts'
import type { Usage } from '../conversation/usage.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import { errorEnvelope } from '../errors/render-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { JsonObject } from '../wire/json-values.ts'
import { closeLastEvent, SseFramer, siftEvents, type Verdict } from '../wire/sse-events.ts'
import { decodeErrorEvent } from './error-body.ts'
import type { StreamTap } from './protocol.ts'
import { readSupplierEvent } from './supplier-event.ts'

/** What one event of a stream says. */
export interface EventReading {
  /** Text that it adds to the answer. */
  readonly text: string
  /** null when it reports none. */
  readonly usage: Usage | null
  /** Whether the answer ends with it; `marked`: with the `[DONE]` that follows. */
  readonly isLast: boolean | 'marked'
}

export interface RelayedEventsParts {
  readEvent(event: JsonObject): EventReading
  /** Our own count after so many tokens of text. */
  countUsage(outputTokens: number): Usage
}

/** Reads a relayed stream of events of which the last one reports the usage. Its bytes are forwarded unchanged. */
export class RelayedEvents implements StreamTap {
  hasContent = false
  isTerminated = false
  failure: SupplierFailure | null = null
  usage: Usage | null = null
  outputCharacters = 0
  readonly #parts: RelayedEventsParts
  readonly #framer = new SseFramer()
  readonly #counter = new TokenCounter()
  #endsWithMarker = false

  constructor(parts: RelayedEventsParts) {
    this.#parts = parts
  }

  get isComplete(): boolean {
    return this.isTerminated && this.failure === null
  }

  get ownCount(): Usage {
    return this.#parts.countUsage(this.#counter.tokens)
  }

  push(bytes: Uint8Array): Uint8Array | null {
    const framed = this.failure === null ? this.#framer.push(bytes) : null
    return framed === null ? null : siftEvents(framed, this.#weigh)
  }

  end(): Uint8Array | null {
    const rest = this.failure === null ? this.#framer.finish() : null
    const framed = rest === null ? null : closeLastEvent(rest)
    return framed === null ? null : siftEvents(framed, this.#weigh)
  }

  fail(error: GatewayError): string {
    return `event: error\ndata: ${JSON.stringify(errorEnvelope(error))}\n\n`
  }

  readonly #weigh = (bytes: Uint8Array, start: number, end: number): Verdict => {
    const event = readSupplierEvent(bytes.subarray(start, end), decodeErrorEvent)
    // Whatever follows the last event must not turn a complete answer into a failure.
    if (this.isTerminated) return event.type === 'failure' ? 'remove' : 'forward'
    switch (event.type) {
      case 'ignored':
        return 'forward'
      case 'failure':
        this.failure = event.failure
        return 'stop'
      case 'done':
        this.isTerminated = this.#endsWithMarker
        return 'forward'
      case 'object':
        this.#take(this.#parts.readEvent(event.value))
        return 'forward'
    }
  }

  #take({ text, usage, isLast }: EventReading): void {
    this.hasContent = true
    this.usage = usage ?? this.usage
    this.outputCharacters += text.length
    this.#counter.add(text)
    if (isLast === true) this.isTerminated = true
    else if (isLast === 'marked') this.#endsWithMarker = true
  }
}
