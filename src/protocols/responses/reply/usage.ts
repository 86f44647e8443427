import type { Usage } from '../../../conversation/usage.ts'
import { asObject } from '../../../wire/json-values.ts'
import { countOr, isUnreadable, readCount } from '../../token-count.ts'

/** Token counts as this format writes them: `input_tokens` includes cached ones, `output_tokens` thinking. */
export interface ResponsesUsage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

/** Reads a usage object into disjoint buckets; null when it counts nothing. */
export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const total = readCount(usage.total_tokens)
  const { input_tokens, output_tokens } = usage
  if (isUnreadable(input_tokens, output_tokens)) return null
  if ((input_tokens ?? output_tokens ?? null) === null && total === 0) return null
  const details = asObject(usage.input_tokens_details)
  const reasoning = readCount(asObject(usage.output_tokens_details)?.reasoning_tokens)
  const prompt = countOr(usage.input_tokens, total - readCount(usage.output_tokens))
  const output = Math.max(reasoning, countOr(usage.output_tokens, total - prompt))
  const cacheRead = Math.min(prompt, readCount(details?.cached_tokens))
  const cacheWrite = Math.min(prompt - cacheRead, readCount(details?.cache_write_tokens))
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
