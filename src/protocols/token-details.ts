import type { Usage, UsageDetails } from '../conversation/usage.ts'
import {
  NO_PARTS,
  type PartsReport,
  type ReportFacts,
  settleReport,
  type TokenReport,
} from '../conversation/usage-report.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import { errorEnvelope } from '../errors/render-error.ts'
import { SERVICE_TIERS } from '../vocabulary/price.ts'
import {
  findTopLevelMembers,
  insertionOf,
  insertMember,
  type Replacement,
  replaceMembers,
  type TopLevelMembers,
} from '../wire/json-members.ts'
import { asCount, asObject, isCountOrMissing, type JsonObject } from '../wire/json-values.ts'

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

// What follows is the same for chat completions and text completions.

/** `prompt_tokens` includes cached tokens. `completion_tokens` includes thinking. */
export interface CompletionUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly completion_tokens_details: { readonly reasoning_tokens: number }
}

/** Reads a usage object into buckets that do not overlap. Returns null when it has no counts. */
export function decodeUsage(wire: unknown, serviceTier?: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const { prompt_tokens, completion_tokens } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(prompt_tokens) || !isCountOrMissing(completion_tokens)) return null
  if ((prompt_tokens ?? completion_tokens ?? null) === null && asCount(usage.total_tokens) === 0) return null
  const promptDetails = asObject(usage.prompt_tokens_details)
  const outputDetails = asObject(usage.completion_tokens_details)
  const report = readReport(usage, promptDetails, outputDetails)
  const written = usage.cache_creation ?? promptDetails?.cache_creation_token_details ?? null
  const isUnusual = written !== null || usage.prompt_audio_seconds !== undefined
  const hasDetails = promptDetails !== null || outputDetails !== null
  const parts =
    (hasDetails ? readTokenParts(promptDetails, outputDetails) : null) ??
    (isUnusual ? readUnusualParts(usage, written) : null)
  const tools = readToolCounts(usage)
  const tier = serviceTier ?? usage.service_tier
  return settleReport(report, parts, tier ? readFacts(tools, tier) : tools)
}

function readReport(
  usage: JsonObject,
  promptDetails: JsonObject | null,
  outputDetails: JsonObject | null,
): TokenReport {
  const total = asCount(usage.total_tokens)
  const prompt = asCount(usage.prompt_tokens, total - asCount(usage.completion_tokens))
  const completion = asCount(usage.completion_tokens, total - prompt)
  const reasoning = asCount(outputDetails?.reasoning_tokens ?? usage.reasoning_tokens)
  const cacheRead = asCount(
    promptDetails?.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cached_tokens ??
      usage.cache_read_input_tokens,
  )
  const cacheWrite = asCount(
    promptDetails?.cache_write_tokens ??
      promptDetails?.cache_creation_tokens ??
      promptDetails?.cache_creation_input_tokens ??
      usage.cache_creation_input_tokens,
  )
  const report = { prompt, cacheRead, cacheWrite, output: completion, reasoning }
  const isPlain = total === prompt + completion && cacheRead + cacheWrite <= prompt
  return isPlain && reasoning <= completion ? report : readUnusualReport(report, usage)
}

/** Counts that do not add up in the usual way. Suppliers leave something out of the prompt or the completion. */
function readUnusualReport(report: TokenReport, usage: JsonObject): TokenReport {
  const { prompt, output, reasoning, cacheRead, cacheWrite } = report
  const cached = cacheRead + cacheWrite
  const unlisted = asCount(usage.total_tokens) - prompt - output
  // Suppliers with citations count thinking and citations apart from everything else, the total included.
  const citations = asCount(usage.citation_tokens)
  if (citations > 0) return { ...report, prompt: prompt + citations, output: output + reasoning }
  // Only the total shows that thinking is not part of the completion.
  if ((reasoning > 0 && unlisted === reasoning) || (unlisted !== 0 && reasoning > output))
    return { ...report, output: output + reasoning }
  // The same for cached tokens. Those with the names of another format are counted as that format does.
  const hasForeignNames =
    (usage.cache_creation_input_tokens ?? usage.cache_read_input_tokens ?? null) !== null
  if (unlisted === cached || (cached > prompt && hasForeignNames))
    return { ...report, prompt: prompt + cached }
  if (unlisted <= 0 || reasoning > 0) return report
  // Nothing else tells of these tokens: sound where the supplier reports its length, else hidden thinking.
  if (hasSound(usage)) return { ...report, prompt: prompt + unlisted }
  return { ...report, output: output + unlisted, reasoning: unlisted }
}

function hasSound(usage: JsonObject): boolean {
  return typeof usage.prompt_audio_seconds === 'number' && usage.prompt_audio_seconds > 0
}

/** Parts that suppliers report in places of their own. */
function readUnusualParts(usage: JsonObject, written: unknown): PartsReport | null {
  return hasSound(usage) ? readSound(usage) : readWriteLifetimes(written)
}

function readSound(usage: JsonObject): PartsReport | null {
  const listed = asCount(usage.prompt_tokens) + asCount(usage.completion_tokens)
  const audio = asCount(usage.total_tokens) - listed
  return audio > 0 ? { ...NO_PARTS, audio } : null
}

export function encodeUsage(usage: Usage): CompletionUsage {
  const { details } = usage
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      ...(details !== undefined && { ...encodePromptParts(usage), ...encodeWriteLifetimes(usage) }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      ...(details !== undefined && encodeOutputParts(usage)),
    },
    ...(details !== undefined && encodeToolCounts(details)),
  }
}

/** The tier that served the request, as a member of the reply. */
export function encodeServiceTier(usage: Usage | null): JsonObject {
  const tier = usage?.details?.serviceTier
  return tier === undefined ? {} : { service_tier: tier }
}

/** Charging needs the usage of a stream, so a supplier is asked for it even if the client does not ask. */
export function requestUsage(members: TopLevelMembers, text: string): Replacement {
  const span = members.get('stream_options')
  if (span === undefined) return insertionOf(text, 'stream_options', '{"include_usage":true}')
  return { span, json: withIncludeUsage(text.slice(span.start, span.end)) }
}

function withIncludeUsage(options: string): string {
  if (options === 'null') return '{"include_usage":true}'
  const flag = findTopLevelMembers(options).get('include_usage')
  if (flag === undefined) return insertMember(options, 'include_usage', 'true')
  return replaceMembers(options, [{ span: flag, json: 'true' }])
}

/** Sends no `[DONE]`: clients would take that for success. */
export function encodeStreamError(error: GatewayError): string {
  return `data: ${JSON.stringify(errorEnvelope(error))}\n\n`
}
