import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { ErrorCode } from '../../../errors/codes.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import { errorEnvelope } from '../../../errors/render-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext, StreamEncoder } from '../../translation.ts'
import { ResponseWriter } from '../reply/response-writer.ts'
import type { ResponsesRequest } from '../schema.ts'

/** Writes an answer as a stream of numbered events. */
export class ResponsesEncoder implements StreamEncoder {
  readonly #writer: ResponseWriter
  #frames = ''
  #nextNumber = 0
  #isOver = false

  constructor(request: ResponsesRequest, context: ReplyContext) {
    this.#writer = new ResponseWriter(request, context, (type, fields) => {
      this.#frames += frameOf(type, this.#nextNumber++, fields)
    })
  }

  /** The whole response, to be kept for later requests; null until the answer has ended. */
  get finalReply(): JsonObject | null {
    return this.#writer.finalReply
  }

  push(event: AnswerEvent): string {
    if (this.#isOver) return ''
    this.#writer.write(event)
    this.#isOver = event.type === 'answer-end'
    return this.#take()
  }

  /** The open item is left as it is: a client told of its end might act on half a call. */
  fail(error: GatewayError, isEndWithheld = false): string {
    if (this.#isOver && !isEndWithheld) return ''
    this.#isOver = true
    this.#writer.start()
    return this.#take() + failureFrames(error, this.#writer.response, this.#nextNumber)
  }

  #take(): string {
    const frames = this.#frames
    this.#frames = ''
    return frames
  }
}

/** One event of a stream. */
function frameOf(type: string, sequenceNumber: number, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })}\n\n`
}

/** `error` of a response object takes only words of a closed list. */
function failedResponse(response: JsonObject, error: GatewayError): JsonObject {
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

function errorFrame(error: GatewayError, sequenceNumber: number): string {
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
