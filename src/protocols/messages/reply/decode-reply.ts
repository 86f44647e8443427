import type { Answer } from '../../../conversation/answer.ts'
import { asArray, asObject, asText, isObject } from '../../../wire/json-values.ts'
import { isTooDeep } from '../nesting.ts'
import { decodeAnswerBlock, type Origin } from './decode-answer.ts'
import { decodeFinish, hasToolCalls } from './finish.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole message; null when it is not one: no content, a block that is none, or an error under a 200. */
export function decodeReply(body: unknown, origin: Origin): Answer | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error) || !Array.isArray(reply.content)) return null
  const blocks = asArray(reply.content)
  if (!blocks.every((block) => isObject(block)) || isTooDeep(blocks)) return null
  const parts = blocks.flatMap((block) => {
    const part = decodeAnswerBlock(block, origin)
    return part === null ? [] : [part]
  })
  const finish = decodeFinish(reply, hasToolCalls(parts))
  return {
    id: asText(reply.id) ?? '',
    choices: [{ index: 0, parts, finish, logprobs: null }],
    usage: decodeUsage(reply.usage),
  }
}
