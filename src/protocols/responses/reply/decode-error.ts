import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import { decodeErrorBody, decodeErrorEvent, readErrorWords } from '../../error-body.ts'

/** Reads a supplier's error response. */
export function decodeError(status: number, body: string): SupplierFailure {
  return decodeErrorBody(status, body)
}

/** Reads an `error` event, flat or with the error inside. */
export function decodeStreamError(event: JsonObject): SupplierFailure {
  // The event's own `type` is a word too, but says nothing.
  const { type: _type, ...words } = event
  return judgePictures(decodeErrorEvent(words), words)
}

/** Reads the response object of a `response.failed` event, or of a whole reply that failed. */
export function decodeFailedResponse(response: JsonObject): SupplierFailure {
  const error = asObject(response.error) ?? {}
  return judgePictures(decodeErrorEvent({ error }), { error })
}

// A dozen codes speak of pictures that could not be used; each is about what the client sent.
function judgePictures(failure: SupplierFailure, words: JsonObject): SupplierFailure {
  if (failure.kind !== 'server') return failure
  const isAboutPicture = readErrorWords(words)?.codes.some((code) => code.includes('image')) ?? false
  return isAboutPicture ? { ...failure, kind: 'input' } : failure
}
