import type { AnswerEvent } from '../conversation/answer-event.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import { asObject, isObject, type JsonObject, tryParseJson } from '../wire/json-values.ts'
import { type FramedEvents, readSseEvent } from '../wire/sse-events.ts'

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
