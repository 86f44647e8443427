import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext, StreamEncoder } from '../../translation.ts'
import { ResponseWriter } from '../reply/response-writer.ts'
import type { ResponsesRequest } from '../schema.ts'
import { failureFrames, frameOf } from './failed-frames.ts'

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
