import { asArray, asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import { countGenerated } from '../measure.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole reply; null when it is not one: neither candidates nor a blocked prompt, or an error under a 200. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || !isReply(reply)) return null
  let outputCharacters = 0
  for (const candidate of asArray(reply.candidates)) outputCharacters += countGenerated(candidate)
  return { usage: decodeUsage(reply.usageMetadata), outputCharacters }
}

export function isReply(reply: JsonObject): boolean {
  if (isObject(reply.error)) return false
  const candidates = asArray(reply.candidates)
  if (candidates.length > 0) return candidates.every(isObject)
  return blockReasonOf(reply) !== null
}

/** Why the prompt itself was refused, in which case there are no candidates; null when it was not. */
export function blockReasonOf(reply: JsonObject): string | null {
  const reason = asObject(reply.promptFeedback)?.blockReason
  return typeof reason === 'string' && reason !== '' ? reason : null
}
