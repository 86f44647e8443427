import type { Usage } from '../../../conversation/usage.ts'
import {
  asArray,
  asCount,
  asObject,
  isCountOrMissing,
  isObject,
  type JsonObject,
  textLength,
} from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'

/** `input_tokens` includes cached tokens. `output_tokens` includes thinking. */
export interface ResponsesUsage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

/** Reads a usage object into buckets that do not overlap. Returns null when it has no counts. */
export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const total = asCount(usage.total_tokens)
  const { input_tokens, output_tokens } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(input_tokens) || !isCountOrMissing(output_tokens)) return null
  if ((input_tokens ?? output_tokens ?? null) === null && total === 0) return null
  const details = asObject(usage.input_tokens_details)
  const reasoning = asCount(asObject(usage.output_tokens_details)?.reasoning_tokens)
  const prompt = asCount(usage.input_tokens, total - asCount(usage.output_tokens))
  const output = Math.max(reasoning, asCount(usage.output_tokens, total - prompt))
  const cacheRead = Math.min(prompt, asCount(details?.cached_tokens))
  const cacheWrite = Math.min(prompt - cacheRead, asCount(details?.cache_write_tokens))
  return { input: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite, output, reasoning, images: 0 }
}

export function encodeUsage(usage: Usage): ResponsesUsage {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: prompt + usage.output,
  }
}

/** Returns the response object, or null if it has no output, has an error or is not finished. */
export function asResponse(body: unknown): JsonObject | null {
  const response = asObject(body)
  if (response === null || isObject(response.error) || !Array.isArray(response.output)) return null
  // Compatible suppliers may omit the status.
  const { status = 'completed' } = response
  return status === 'completed' || status === 'incomplete' ? response : null
}

export function readReply(body: unknown): ReplyFacts | null {
  const response = asResponse(body)
  if (response === null) return null
  return { usage: decodeUsage(response.usage), outputCharacters: countGenerated(response.output) }
}

/** Counts the characters generated in output items: text, thinking, refusals, tool names and input. */
export function countGenerated(output: unknown): number {
  let characters = 0
  for (const item of asArray(output)) characters += countItem(asObject(item) ?? {})
  return characters
}

function countItem(item: JsonObject): number {
  return (
    textLength(item.name) +
    textLength(item.arguments) +
    textLength(item.input) +
    textLength(item.code) +
    countParts(item.summary) +
    countParts(item.content)
  )
}

function countParts(parts: unknown): number {
  let characters = 0
  for (const part of asArray(parts)) {
    const { text, refusal } = asObject(part) ?? {}
    characters += textLength(text) + textLength(refusal)
  }
  return characters
}
