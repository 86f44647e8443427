import { GatewayError } from '../errors/gateway-error.ts'
import { locateJsonError } from './locate-json-error.ts'

/** Parses a request body. The refusal says where the fault is and never quotes the body. */
export function parseJson(text: string): unknown {
  if (text.trim() === '')
    throw new GatewayError('invalid_request', 'The body is empty; a JSON object is needed.')
  try {
    return JSON.parse(text)
  } catch (cause) {
    // A cause would carry a piece of the body into the log, so only its kind is kept.
    throw new GatewayError('invalid_request', `The body is not valid JSON: ${describeFault(text, cause)}.`)
  }
}

/** Looking for the fault takes a hundred times as long as parsing, so it is done where people write by hand. */
export const MAX_EXPLAINED_CHARACTERS = 64 * 1024

function describeFault(text: string, cause: unknown): string {
  if (text.length > MAX_EXPLAINED_CHARACTERS)
    return cause instanceof RangeError ? 'it is nested too deeply' : 'it cannot be parsed'
  const position = locateJsonError(text)
  if (position === null)
    return cause instanceof RangeError ? 'it is nested too deeply' : 'it cannot be parsed'
  if (position >= text.length) return `it ends too early, at position ${text.length}`
  return `unexpected character at position ${position}`
}
