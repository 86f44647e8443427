import { asArray, asObject, isObject } from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import { countGenerated } from './count-generated.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole reply; null when it is not one: no choices, a choice without a message, or an error under a 200. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error)) return null
  const choices = asArray(reply.choices)
  if (choices.length === 0) return null
  let outputCharacters = 0
  for (const item of choices) {
    const choice = asObject(item)
    const message = asObject(choice?.message)
    if (message === null || isObject(choice?.error)) return null
    outputCharacters += countGenerated(message)
  }
  return { usage: decodeUsage(reply.usage), outputCharacters }
}
