import type { ImageLook } from '../../conversation/families/images.ts'
import { NO_USAGE, type Usage } from '../../conversation/usage.ts'
import { settleReport, withDetails } from '../../conversation/usage-report.ts'
import { asCount, asObject, isCountOrMissing } from '../../wire/json-values.ts'
import { encodeOutputParts, encodePromptParts, readTokenParts } from '../token-details.ts'

// No size or quality that a price could name is longer.
const MAX_WORD = 50

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
  const promptDetails = asObject(usage.input_tokens_details)
  const outputDetails = asObject(usage.output_tokens_details)
  const prompt = asCount(input_tokens, total - asCount(output_tokens))
  const report = {
    prompt,
    cacheRead: asCount(promptDetails?.cached_tokens),
    cacheWrite: 0,
    output: asCount(output_tokens, total - prompt),
    reasoning: asCount(outputDetails?.reasoning_tokens),
  }
  return settleReport(report, readTokenParts(promptDetails, outputDetails), null)
}

/** Tokens of an image of the usual size, as the vendor of the format publishes them. */
const IMAGE_TOKENS: Readonly<Record<string, number>> = { low: 272, medium: 1_056, high: 4_160 }
const PARTIAL_IMAGE_TOKENS = 100

/** What an image takes whose stream has not reported its usage yet. */
export function estimateImageTokens(quality: string | null, partialImages: number): number {
  const tokens = IMAGE_TOKENS[quality ?? ''] ?? IMAGE_TOKENS.medium ?? 0
  return tokens + partialImages * PARTIAL_IMAGE_TOKENS
}

/** What was used and how the images look, which their price may depend on. */
export function usageOfImages(usage: Usage | null, images: number, look: ImageLook | null): Usage | null {
  if (look === null) return usage && { ...usage, images }
  return withDetails({ ...(usage ?? NO_USAGE), images }, { ...usage?.details, ...look })
}

/** What the price of an image may depend on. Null when nothing is known. */
export function readLook(size: unknown, quality: unknown): ImageLook | null {
  const imageSize = chosenWord(size)
  const imageQuality = chosenWord(quality)
  if (imageSize === undefined && imageQuality === undefined) return null
  return {
    ...(imageSize !== undefined && { imageSize }),
    ...(imageQuality !== undefined && { imageQuality }),
  }
}

function chosenWord(value: unknown): string | undefined {
  return typeof value === 'string' && value !== 'auto' && value.length <= MAX_WORD ? value : undefined
}

export function encodeUsage(usage: Usage): ImageUsage {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  const inParts = encodePromptParts(usage)
  const outParts = encodeOutputParts(usage)
  return {
    input_tokens: prompt,
    ...(Object.keys(inParts).length > 0 && { input_tokens_details: inParts }),
    output_tokens: usage.output,
    ...(Object.keys(outParts).length > 0 && { output_tokens_details: outParts }),
    total_tokens: prompt + usage.output,
  }
}
