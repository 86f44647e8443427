import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import { decodeErrorBody, decodeErrorEvent, readErrorWords } from '../../error-body.ts'

/** Reads a supplier's error response. */
export function decodeError(status: number, body: string): SupplierFailure {
  return decodeErrorBody(status, body)
}

/** Reads an `error` event, flat or with the error inside. */
export function decodeStreamError(event: JsonObject): SupplierFailure {
  // The `type` of the event is not the type of the error.
  const { type: _type, ...words } = event
  return classifyImageError(decodeErrorEvent(words), words)
}

/** Reads the response object of a `response.failed` event, or of a whole reply that failed. */
export function decodeFailedResponse(response: JsonObject): SupplierFailure {
  const error = asObject(response.error) ?? {}
  return classifyImageError(decodeErrorEvent({ error }), { error })
}

// About a dozen codes mean that an image from the client could not be used.
function classifyImageError(failure: SupplierFailure, words: JsonObject): SupplierFailure {
  if (failure.kind !== 'server') return failure
  const isAboutImage = readErrorWords(words)?.codes.some((code) => code.includes('image')) ?? false
  return isAboutImage ? { ...failure, kind: 'input' } : failure
}
