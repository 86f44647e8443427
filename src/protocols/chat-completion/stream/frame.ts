import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { readSseEvent } from '../../../wire/sse-event.ts'
import { decodeErrorEvent } from '../../error-body.ts'

/** No answer has an event this long; a supplier that never ends one would otherwise fill the memory. */
export const LONGEST_EVENT_BYTES = 64 * 1024 * 1024

/** What one event of a supplier's stream is. */
export type Frame =
  /** The marker that nothing follows. */
  | { readonly type: 'done' }
  | { readonly type: 'chunk'; readonly chunk: JsonObject }
  /** A comment, a blank line: not for us. */
  | { readonly type: 'silence' }
  /** The supplier has failed, or these bytes are no event at all. */
  | { readonly type: 'failure'; readonly failure: SupplierFailure }

const DONE: Frame = { type: 'done' }
const SILENCE: Frame = { type: 'silence' }

export function readFrame(bytes: Uint8Array): Frame {
  const { data, name, isRecognised } = readSseEvent(bytes)
  if (data === null) return isRecognised ? SILENCE : malformedFrame('bytes that are no event')
  if (isDone(data)) return DONE
  const chunk = asObject(tryParseJson(data))
  if (chunk === null) return malformedFrame('an event that is not a JSON object')
  // Some suppliers write the error itself where a chunk is due.
  if (name === 'error' || chunk.object === 'error' || isError(chunk.error))
    return { type: 'failure', failure: decodeErrorEvent(chunk) }
  return { type: 'chunk', chunk }
}

/** Whether bytes that the end of the stream cut off are an event that lacks nothing but its blank line. */
export function isWholeEvent(bytes: Uint8Array): boolean {
  const { data } = readSseEvent(bytes)
  return data !== null && (isDone(data) || tryParseJson(data) !== undefined)
}

export function malformed(what: string): SupplierFailure {
  const message = `The supplier's stream has ${what}.`
  return { kind: 'malformed', status: null, message, param: null, retryAfterSeconds: null }
}

function malformedFrame(what: string): Frame {
  return { type: 'failure', failure: malformed(what) }
}

function isDone(data: string): boolean {
  return data.startsWith('[DONE]')
}

// `"error": null` stands in ordinary chunks of some suppliers.
function isError(error: unknown): boolean {
  return isObject(error) || (typeof error === 'string' && error !== '') || Array.isArray(error)
}
