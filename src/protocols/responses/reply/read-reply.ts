import { asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import { countGenerated } from './count-generated.ts'
import { decodeUsage } from './usage.ts'

/** A whole reply as a response object; null when it is not one: no output, an error under a 200, or not finished. */
export function asResponse(body: unknown): JsonObject | null {
  const response = asObject(body)
  if (response === null || isObject(response.error) || !Array.isArray(response.output)) return null
  // Suppliers that only resemble the official one may leave the status out.
  const { status = 'completed' } = response
  return status === 'completed' || status === 'incomplete' ? response : null
}

export function readReply(body: unknown): ReplyFacts | null {
  const response = asResponse(body)
  if (response === null) return null
  return { usage: decodeUsage(response.usage), outputCharacters: countGenerated(response.output) }
}
