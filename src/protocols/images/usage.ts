import type { Usage } from '../../conversation/usage.ts'
import { asCount, asObject, isCountOrMissing } from '../../wire/json-values.ts'

/** Token counts in this format. The number of images is counted on delivery. */
export interface ImageUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly total_tokens: number
}

/** Splits a usage object into disjoint counts; null when it has none. */
export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const { input_tokens, output_tokens } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(input_tokens) || !isCountOrMissing(output_tokens)) return null
  const total = asCount(usage.total_tokens)
  if ((input_tokens ?? output_tokens ?? null) === null && total === 0) return null
  const prompt = asCount(input_tokens, total - asCount(output_tokens))
  const cacheRead = Math.min(prompt, asCount(asObject(usage.input_tokens_details)?.cached_tokens))
  return {
    input: prompt - cacheRead,
    cacheRead,
    cacheWrite: 0,
    output: asCount(output_tokens, total - prompt),
    reasoning: 0,
    images: 0,
  }
}

export function encodeUsage({ input, cacheRead, cacheWrite, output }: Usage): ImageUsage {
  const prompt = input + cacheRead + cacheWrite
  return { input_tokens: prompt, output_tokens: output, total_tokens: prompt + output }
}
