import type { Answer } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { unfold } from '../../../conversation/fold.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import type { ResponsesRequest } from '../schema.ts'
import { ResponseWriter } from './response-writer.ts'

/** Encodes an answer as a response object, equal to the last one of its stream. */
export function encodeReply(request: ResponsesRequest, answer: Answer, context: ReplyContext): JsonObject {
  const writer = new ResponseWriter(request, context, () => {})
  for (const event of logprobsFirst(unfold(answer))) writer.write(event)
  return writer.finalReply ?? writer.response
}

// At their usual place they would arrive after their text has been written.
function logprobsFirst(events: readonly AnswerEvent[]): AnswerEvent[] {
  const isLogprobs = ({ type }: AnswerEvent) => type === 'part-logprobs'
  return [...events.filter(isLogprobs), ...events.filter((event) => !isLogprobs(event))]
}
