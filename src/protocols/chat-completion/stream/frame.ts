import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { readSseEvent } from '../../../wire/sse-event.ts'
import { decodeErrorEvent } from '../../error-body.ts'

/** Limits memory when a supplier never ends an event. Real events are far shorter. */
export const MAX_EVENT_BYTES = 64 * 1024 * 1024

/** One event of a supplier's stream. */
export type Frame =
  /** The `[DONE]` marker. */
  | { readonly type: 'done' }
  | { readonly type: 'chunk'; readonly chunk: JsonObject }
  /** A comment or a blank line. */
  | { readonly type: 'ignored' }
  /** The supplier sent an error, or the bytes are not an event. */
  | { readonly type: 'failure'; readonly failure: SupplierFailure }

const DONE: Frame = { type: 'done' }
const IGNORED: Frame = { type: 'ignored' }

export function readFrame(bytes: Uint8Array): Frame {
  const { data, name, isRecognised } = readSseEvent(bytes)
  if (data === null) return isRecognised ? IGNORED : malformedFrame('bytes that are not an event')
  if (isDone(data)) return DONE
  const chunk = asObject(tryParseJson(data))
  if (chunk === null) return malformedFrame('an event that is not a JSON object')
  // Some suppliers send the bare error object in place of a chunk.
  if (name === 'error' || chunk.object === 'error' || isError(chunk.error))
    return { type: 'failure', failure: decodeErrorEvent(chunk) }
  return { type: 'chunk', chunk }
}

/** True when the last bytes of a stream are a whole event that lacks only its blank line. */
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

// Some suppliers send `"error": null` in ordinary chunks.
function isError(error: unknown): boolean {
  return isObject(error) || (typeof error === 'string' && error !== '') || Array.isArray(error)
}
