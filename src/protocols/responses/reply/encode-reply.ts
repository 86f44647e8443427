import type { Answer } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { unfold } from '../../conversation/fold.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import type { ResponsesRequest } from '../schema.ts'
import { ResponseWriter } from './response-writer.ts'

/** The answer as one response object: the very one that a stream of it would end with. */
export function encodeReply(request: ResponsesRequest, answer: Answer, context: ReplyContext): JsonObject {
  const writer = new ResponseWriter(request, context, () => {})
  for (const event of logprobsFirst(unfold(answer))) writer.write(event)
  return writer.finalReply ?? writer.response
}

// Told at their end, they would come after the text they belong to has been written.
function logprobsFirst(events: readonly AnswerEvent[]): AnswerEvent[] {
  const isLogprobs = ({ type }: AnswerEvent) => type === 'part-logprobs'
  return [...events.filter(isLogprobs), ...events.filter((event) => !isLogprobs(event))]
}
