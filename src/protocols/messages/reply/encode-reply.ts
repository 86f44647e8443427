import { type Answer, finishOf } from '../../../conversation/answer.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import { encodeAnswerPart } from './encode-answer.ts'
import { encodeFinish, hasToolCalls } from './finish.ts'
import { encodeUsage } from './usage.ts'

/** A whole message. This format gives one answer; others than the first are left out. */
export function encodeReply({ choices, usage }: Answer, context: ReplyContext): JsonObject {
  const parts = choices[0]?.parts ?? []
  return {
    id: context.newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: parts.flatMap(encodeAnswerPart),
    ...encodeFinish(choices[0]?.finish ?? finishOf('other'), hasToolCalls(parts)),
    usage: encodeUsage(usage, context.promptTokens),
  }
}
