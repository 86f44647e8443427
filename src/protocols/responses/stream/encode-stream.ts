import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { ErrorCode } from '../../../errors/codes.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import { errorEnvelope } from '../../../errors/render-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext, StreamEncoder } from '../../translation.ts'
import { ResponseWriter } from '../reply/response-writer.ts'
import type { ResponsesRequest } from '../schema.ts'

/** Encodes an answer as a stream of numbered events. */
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

  /** The whole response, stored for later requests. Null until the answer has ended. */
  get finalReply(): JsonObject | null {
    return this.#writer.finalReply
  }

  push(event: AnswerEvent): string {
    if (this.#isOver) return ''
    this.#writer.write(event)
    this.#isOver = event.type === 'answer-end'
    return this.#take()
  }

  /** Leaves the open item open: if it were closed, a client might act on half a call. */
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
export function frameOf(type: string, sequenceNumber: number, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })}\n\n`
}

/** `error.code` of a response object must be one of a fixed list. */
export function failedResponse(response: JsonObject, error: GatewayError): JsonObject {
  return {
    ...response,
    status: 'failed',
    error: { code: responseErrorCode(error.code), message: error.message },
    incomplete_details: null,
  }
}

/**
 * Encodes a failure. Some clients look for a failed response and others for an error event, with flat fields or with
 * an `error` object. So the client gets all of them.
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
