import type { ErrorCode } from '../../../errors/codes.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import { errorEnvelope } from '../../../errors/render-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'

/** One event of a stream. */
export function frameOf(type: string, sequenceNumber: number, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })}\n\n`
}

/** `error` of a response object takes only words of a closed list. */
export function failedResponse(response: JsonObject, error: GatewayError): JsonObject {
  return {
    ...response,
    status: 'failed',
    error: { code: responseErrorCode(error.code), message: error.message },
    incomplete_details: null,
  }
}

/**
 * Tells a client of a failure. Some clients look for a failed response and some for an error event, and of the
 * latter some for flat fields and some for an `error` object, so there is one of each.
 */
export function failureFrames(error: GatewayError, response: JsonObject | null, nextNumber: number): string {
  if (response === null) return errorFrame(error, nextNumber)
  const failed = frameOf('response.failed', nextNumber, { response: failedResponse(response, error) })
  return failed + errorFrame(error, nextNumber + 1)
}

export function errorFrame(error: GatewayError, sequenceNumber: number): string {
  const envelope = errorEnvelope(error)
  const { code, message, param } = envelope.error
  return frameOf('error', sequenceNumber, { code, message, param, ...envelope })
}

function responseErrorCode(code: ErrorCode): string {
  switch (code) {
    case 'rate_limit_exceeded':
    case 'supplier_rate_limited':
      return 'rate_limit_exceeded'
    case 'invalid_request':
    case 'unsupported_parameter':
    case 'context_length_exceeded':
    case 'request_too_large':
      return 'invalid_prompt'
    default:
      return 'server_error'
  }
}
