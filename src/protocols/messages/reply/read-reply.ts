import { asObject, isObject } from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import { countBlock } from '../count-generated.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole reply; null when it is not one: no content, a block that is none, or an error under a 200. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error) || !Array.isArray(reply.content)) return null
  let outputCharacters = 0
  for (const item of reply.content) {
    const block = asObject(item)
    if (block === null) return null
    outputCharacters += countBlock(block)
  }
  return { usage: decodeUsage(reply.usage), outputCharacters }
}
