import type { Usage, UsageDetails } from '../../../conversation/usage.ts'
import { NO_PARTS, type PartsReport, settleReport } from '../../../conversation/usage-report.ts'
import {
  asArray,
  asCount,
  asObject,
  asText,
  isCountOrMissing,
  type JsonObject,
} from '../../../wire/json-values.ts'
import { readFacts } from '../../token-details.ts'

/** Token counts in this format: the prompt count includes cached tokens, the candidates count excludes thoughts. */
interface UsageMetadata {
  readonly promptTokenCount: number
  readonly cachedContentTokenCount?: number
  readonly candidatesTokenCount: number
  readonly thoughtsTokenCount?: number
  readonly totalTokenCount: number
}

const CHARACTERS_PER_TOKEN = 4

/** Splits running totals into disjoint counts; null when there are none. `searches` are those of the whole answer. */
export function decodeUsage(wire: unknown, searches: WebSearches | null = null): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const total = asCount(usage.totalTokenCount)
  const { promptTokenCount, candidatesTokenCount } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(promptTokenCount) || !isCountOrMissing(candidatesTokenCount)) return null
  if ((promptTokenCount ?? candidatesTokenCount ?? null) === null && total === 0) return null
  // Tokens that hosted tools add to the prompt are counted separately.
  const prompt = asCount(usage.promptTokenCount) + asCount(usage.toolUsePromptTokenCount)
  const reasoning = asCount(usage.thoughtsTokenCount)
  const said = asCount(usage.candidatesTokenCount, total - prompt - reasoning)
  const report = {
    prompt,
    cacheRead: asCount(usage.cachedContentTokenCount),
    cacheWrite: 0,
    output: said + reasoning,
    reasoning,
  }
  const found = searches === null || searches.size === 0 ? null : { webSearches: searches.size }
  return settleReport(report, readParts(usage), readFacts(found, readTier(usage)))
}

function readParts(usage: JsonObject): PartsReport | null {
  const audio =
    countOf(usage.promptTokensDetails, 'AUDIO') + countOf(usage.toolUsePromptTokensDetails, 'AUDIO')
  const image =
    countOf(usage.promptTokensDetails, 'IMAGE') + countOf(usage.toolUsePromptTokensDetails, 'IMAGE')
  const cachedAudio = countOf(usage.cacheTokensDetails, 'AUDIO')
  const cachedImage = countOf(usage.cacheTokensDetails, 'IMAGE')
  const audioOutput = countOf(usage.candidatesTokensDetails, 'AUDIO')
  const imageOutput = countOf(usage.candidatesTokensDetails, 'IMAGE')
  if (audio + image + cachedAudio + cachedImage + audioOutput + imageOutput === 0) return null
  return { ...NO_PARTS, audio, image, cachedAudio, cachedImage, audioOutput, imageOutput }
}

/** Video and documents have no price of their own and stay in the general count. */
function countOf(details: unknown, modality: 'AUDIO' | 'IMAGE'): number {
  let count = 0
  for (const value of asArray(details)) {
    const entry = asObject(value)
    if (entry?.modality === modality) count += asCount(entry.tokenCount)
  }
  return count
}

const ON_DEMAND = 'ON_DEMAND_'

/** Such as `ON_DEMAND_FLEX` in one place or `flex` in another. */
function readTier({ trafficType, serviceTier }: JsonObject): string | null {
  const tier = asText(serviceTier) ?? asText(trafficType)
  if (tier === null) return null
  return (tier.startsWith(ON_DEMAND) ? tier.slice(ON_DEMAND.length) : tier).toLowerCase()
}

// More than any answer needs, and a bound on what a supplier can make the gateway remember.
const MAX_SEARCHES = 1_000

/** The web searches of an answer, each question once, as suppliers charge them. */
export type WebSearches = ReadonlySet<string>

/** Adds the searches of a candidate to those of its answer. Null while there are none. */
export function noteSearches(
  before: WebSearches | null,
  { groundingMetadata }: JsonObject,
): WebSearches | null {
  const questions = groundingMetadata ? asArray(asObject(groundingMetadata)?.webSearchQueries) : []
  if (questions.length === 0) return before
  const all = new Set(before)
  for (const question of questions) {
    if (typeof question === 'string' && question !== '' && all.size < MAX_SEARCHES) all.add(question)
  }
  return all
}

export function encodeUsage(usage: Usage): UsageMetadata {
  const { input, cacheRead, cacheWrite, output, reasoning, details } = usage
  const promptTokenCount = input + cacheRead + cacheWrite
  const thoughtsTokenCount = Math.min(reasoning, output)
  return {
    promptTokenCount,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    candidatesTokenCount: output - thoughtsTokenCount,
    ...(thoughtsTokenCount > 0 && { thoughtsTokenCount }),
    totalTokenCount: promptTokenCount + output,
    ...(details !== undefined && encodeDetails(usage, details)),
  }
}

function encodeDetails(usage: Usage, details: UsageDetails): JsonObject {
  const { audioInput = 0, imageInput = 0, audioCacheRead = 0, imageCacheRead = 0 } = details
  const { audioOutput = 0, imageOutput = 0, serviceTier } = details
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  const said = usage.output - Math.min(usage.reasoning, usage.output)
  return {
    ...modalities('promptTokensDetails', prompt, [audioInput + audioCacheRead, imageInput + imageCacheRead]),
    ...modalities('cacheTokensDetails', usage.cacheRead, [audioCacheRead, imageCacheRead]),
    ...modalities('candidatesTokensDetails', said, [audioOutput, imageOutput]),
    // The format has no other tiers.
    ...((serviceTier === 'flex' || serviceTier === 'priority') && { serviceTier }),
  }
}

function modalities(name: string, all: number, [audio, image]: readonly [number, number]): JsonObject {
  if (audio + image === 0) return {}
  const counts = { TEXT: all - audio - image, AUDIO: audio, IMAGE: image }
  const present = Object.entries(counts).filter(([, tokenCount]) => tokenCount > 0)
  return { [name]: present.map(([modality, tokenCount]) => ({ modality, tokenCount })) }
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
