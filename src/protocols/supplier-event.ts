import type { AnswerEvent } from '../conversation/answer-event.ts'
import { TokenCounter } from '../conversation/token-estimate.ts'
import type { Usage } from '../conversation/usage.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import { errorEnvelope } from '../errors/render-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import { type AddedText, EventPattern } from '../wire/event-pattern.ts'
import { asObject, isObject, type JsonObject, tryParseJson } from '../wire/json-values.ts'
import {
  closeLastEvent,
  type FramedEvents,
  joinBytes,
  readSseEvent,
  SseFramer,
  siftEvents,
  type Verdict,
} from '../wire/sse-events.ts'
import { decodeErrorEvent } from './error-body.ts'
import type { StreamTap } from './protocol.ts'

/** One event of a supplier's stream. */
export type SupplierEvent =
  | { readonly type: 'object'; readonly value: JsonObject; readonly data: string }
  /** The `[DONE]` marker, which some suppliers send in formats without it. */
  | { readonly type: 'done' }
  /** A comment or a blank line. */
  | { readonly type: 'ignored' }
  /** The supplier sent an error, or the bytes are not an event. */
  | { readonly type: 'failure'; readonly failure: SupplierFailure }

export type DecodeError = (event: JsonObject) => SupplierFailure

const DONE: SupplierEvent = { type: 'done' }
const IGNORED: SupplierEvent = { type: 'ignored' }

/** Reads an event for a tap or a decoder. `decodeError` is the format's reader for error events. */
export function readSupplierEvent(bytes: Uint8Array, decodeError: DecodeError): SupplierEvent {
  const { data, name, isRecognised } = readSseEvent(bytes)
  if (data !== null) return readEventData(data, name, decodeError)
  return isRecognised ? IGNORED : { type: 'failure', failure: malformed('bytes that are not an event') }
}

export function readEventData(data: string, name: string | null, decodeError: DecodeError): SupplierEvent {
  if (data.startsWith('[DONE]')) return DONE
  const value = asObject(tryParseJson(data))
  if (value === null) return { type: 'failure', failure: malformed('an event that is not a JSON object') }
  const { type, object, error } = value
  // Some suppliers send the bare error object, and some `"error": null` in every event.
  const isError = name === 'error' || type === 'error' || object === 'error' || (error && isErrorValue(error))
  return isError ? { type: 'failure', failure: decodeError(value) } : { type: 'object', value, data }
}

function isErrorValue(error: unknown): boolean {
  return isObject(error) || typeof error === 'string' || Array.isArray(error)
}

export function malformed(what: string): SupplierFailure {
  const message = `The supplier's stream has ${what}.`
  return { kind: 'malformed', status: null, message, param: null, retryAfterSeconds: null }
}

/** Decodes each event in turn. */
export function decodeEvents(
  { bytes, ends }: FramedEvents,
  decode: (bytes: Uint8Array) => readonly AnswerEvent[],
): AnswerEvent[] {
  const events: AnswerEvent[] = []
  let start = 0
  for (const end of ends) {
    // Spreading into push would overflow the stack for an event with a million parts.
    for (const event of decode(bytes.subarray(start, end))) events.push(event)
    start = end
  }
  return events
}

/** So many events in a row that add no text, or each in another way, are all that is looked at. */
const MAX_UNLIKE = 16

export interface TextEvents {
  /** The text of an event that only adds text; null for any other event. */
  readonly find: (event: JsonObject) => AddedText | null
  /** The member of such an event that holds random padding. */
  readonly padding?: string
}

/**
 * A whole stream without most of the events that only add text, found without parsing them. Why and how the answer ended
 * stays, and is much cheaper to decode.
 */
export function shortenStream(stream: Uint8Array, { find, padding }: TextEvents): Uint8Array {
  const pattern = new EventPattern()
  const framer = new SseFramer()
  const framed = framer.push(stream)
  if (framed === null) return stream
  let unlike = 0
  const weigh = (bytes: Uint8Array, start: number, end: number): Verdict => {
    if (pattern.match(bytes, start, end) !== null) {
      unlike = 0
      return 'remove'
    }
    unlike++
    if (unlike > MAX_UNLIKE) return 'forward'
    const event = bytes.subarray(start, end)
    const value = asObject(tryParseJson(readSseEvent(event).data ?? ''))
    const added = value === null ? null : find(value)
    if (added !== null) pattern.learn(event, added, padding)
    return 'forward'
  }
  const pieces = [siftEvents(framed, weigh), framer.finish()].filter((piece) => piece !== null)
  return joinBytes(pieces)
}

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
