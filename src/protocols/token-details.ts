import type { Usage, UsageDetails } from '../conversation/usage.ts'
import { NO_PARTS, type PartsReport, type ReportFacts } from '../conversation/usage-report.ts'
import { SERVICE_TIERS } from '../vocabulary/price.ts'
import { asCount, asObject, type JsonObject } from '../wire/json-values.ts'

const TIERS_WITH_PRICE: ReadonlySet<string> = new Set(SERVICE_TIERS)

/** The service tiers with a price of their own; undefined for the standard one and for words that say nothing. */
export function readServiceTier(value: unknown): string | undefined {
  return typeof value === 'string' && TIERS_WITH_PRICE.has(value) ? value : undefined
}

/** The details of the prompt and of the output, which three formats spell alike. Null when nothing is told apart. */
export function readTokenParts(prompt: JsonObject | null, output: JsonObject | null): PartsReport | null {
  const { audio_tokens, image_tokens, cached_tokens_details, cache_creation } = prompt ?? {}
  const { audio_tokens: audioSaid, image_tokens: imagesMade } = output ?? {}
  // Most replies have zeros in these places.
  const isTold = audio_tokens || image_tokens || audioSaid || imagesMade || cached_tokens_details
  if (!isTold && !cache_creation) return null
  const cached = asObject(cached_tokens_details)
  return {
    ...(readWriteLifetimes(cache_creation) ?? NO_PARTS),
    audio: asCount(audio_tokens),
    image: asCount(image_tokens),
    cachedAudio: asCount(cached?.audio_tokens),
    cachedImage: asCount(cached?.image_tokens),
    audioOutput: asCount(audioSaid),
    imageOutput: asCount(imagesMade),
  }
}

/** How long the supplier keeps what it wrote to its cache. Null when none of it is kept longer than usual. */
export function readWriteLifetimes(creation: unknown): PartsReport | null {
  const written = asObject(creation)
  if (written === null) return null
  const cacheWrite30m = asCount(written.ephemeral_30m_input_tokens)
  const cacheWrite1h = asCount(written.ephemeral_1h_input_tokens)
  const cacheWrite12h = asCount(written.ephemeral_12h_input_tokens)
  if (cacheWrite30m + cacheWrite1h + cacheWrite12h === 0) return null
  return { ...NO_PARTS, cacheWrite30m, cacheWrite1h, cacheWrite12h }
}

/** The tokens written to the cache by lifetime; nothing when all are kept as long as usual. */
export function encodeWriteLifetimes({ cacheWrite, details = {} }: Usage): JsonObject {
  const { cacheWrite30m = 0, cacheWrite1h = 0, cacheWrite12h = 0 } = details
  const longer = cacheWrite30m + cacheWrite1h + cacheWrite12h
  if (longer === 0) return {}
  return {
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite - longer,
      ephemeral_1h_input_tokens: cacheWrite1h,
      ...(cacheWrite30m > 0 && { ephemeral_30m_input_tokens: cacheWrite30m }),
      ...(cacheWrite12h > 0 && { ephemeral_12h_input_tokens: cacheWrite12h }),
    },
  }
}

/** The media in a prompt, cached or not. */
export function encodePromptParts({ details = {} }: Usage): JsonObject {
  const { audioInput = 0, imageInput = 0, audioCacheRead = 0, imageCacheRead = 0 } = details
  const cached = mediaCounts(audioCacheRead, imageCacheRead)
  return {
    ...mediaCounts(audioInput + audioCacheRead, imageInput + imageCacheRead),
    ...(Object.keys(cached).length > 0 && { cached_tokens_details: cached }),
  }
}

export function encodeOutputParts({ details = {} }: Usage): JsonObject {
  return mediaCounts(details.audioOutput ?? 0, details.imageOutput ?? 0)
}

function mediaCounts(audio: number, image: number): JsonObject {
  return { ...(audio > 0 && { audio_tokens: audio }), ...(image > 0 && { image_tokens: image }) }
}

/** Calls of the supplier's own tools as some suppliers count them in their usage. Null when there are none. */
export function readToolCounts(usage: JsonObject): ReportFacts | null {
  const byTool = asObject(usage.server_side_tool_usage_details)
  const requests = asObject(usage.server_tool_use) ?? asObject(usage.server_tool_use_details)
  const webSearches =
    byTool === null
      ? asCount(requests?.web_search_requests ?? usage.num_search_queries ?? usage.num_sources_used)
      : asCount(byTool.web_search_calls) + asCount(byTool.x_search_calls)
  const codeExecutions = asCount(
    byTool?.code_interpreter_calls ?? byTool?.code_execution_calls ?? requests?.code_execution_requests,
  )
  return webSearches + codeExecutions === 0 ? null : { webSearches, codeExecutions }
}

/** What a report says besides tokens; null when it says nothing. */
export function readFacts(tools: ReportFacts | null, tier: unknown): ReportFacts | null {
  return typeof tier === 'string' && TIERS_WITH_PRICE.has(tier) ? { ...tools, serviceTier: tier } : tools
}

export function encodeToolCounts({ webSearches = 0, codeExecutions = 0 }: UsageDetails): JsonObject {
  if (webSearches + codeExecutions === 0) return {}
  return {
    server_tool_use: {
      web_search_requests: webSearches,
      ...(codeExecutions > 0 && { code_execution_requests: codeExecutions }),
    },
  }
}
