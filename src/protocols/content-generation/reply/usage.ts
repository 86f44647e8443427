import type { Usage } from '../../../conversation/usage.ts'
import { asCount, asObject, isCountOrMissing } from '../../../wire/json-values.ts'

/** Token counts in this format: the prompt count includes cached tokens, the candidates count excludes thoughts. */
interface UsageMetadata {
  readonly promptTokenCount: number
  readonly cachedContentTokenCount?: number
  readonly candidatesTokenCount: number
  readonly thoughtsTokenCount?: number
  readonly totalTokenCount: number
}

const CHARACTERS_PER_TOKEN = 4

/** Splits running totals into disjoint counts; null when there are none. */
export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const total = asCount(usage.totalTokenCount)
  const { promptTokenCount, candidatesTokenCount } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(promptTokenCount) || !isCountOrMissing(candidatesTokenCount)) return null
  if ((promptTokenCount ?? candidatesTokenCount ?? null) === null && total === 0) return null
  // Tokens that hosted tools add to the prompt are counted separately.
  const prompt = asCount(usage.promptTokenCount) + asCount(usage.toolUsePromptTokenCount)
  const cacheRead = Math.min(prompt, asCount(usage.cachedContentTokenCount))
  const reasoning = asCount(usage.thoughtsTokenCount)
  const said = asCount(usage.candidatesTokenCount, total - prompt - reasoning)
  return {
    input: prompt - cacheRead,
    cacheRead,
    cacheWrite: 0,
    output: said + reasoning,
    reasoning,
    images: 0,
  }
}

export function encodeUsage({ input, cacheRead, cacheWrite, output, reasoning }: Usage): UsageMetadata {
  const promptTokenCount = input + cacheRead + cacheWrite
  const thoughtsTokenCount = Math.min(reasoning, output)
  return {
    promptTokenCount,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    candidatesTokenCount: output - thoughtsTokenCount,
    ...(thoughtsTokenCount > 0 && { thoughtsTokenCount }),
    totalTokenCount: promptTokenCount + output,
  }
}

/** Clients of this format rely on usage, so it is estimated when the supplier reports none. */
export function estimateUsage(promptTokens: number, outputCharacters: number): UsageMetadata {
  const candidatesTokenCount = Math.ceil(outputCharacters / CHARACTERS_PER_TOKEN)
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount,
    totalTokenCount: promptTokens + candidatesTokenCount,
  }
}
