import type { Usage } from '../../../conversation/usage.ts'
import {
  NO_PARTS,
  type PartsReport,
  settleReport,
  type TokenReport,
} from '../../../conversation/usage-report.ts'
import {
  asArray,
  asCount,
  asObject,
  isCountOrMissing,
  type JsonObject,
  textLength,
} from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import {
  encodeOutputParts,
  encodePromptParts,
  encodeToolCounts,
  encodeWriteLifetimes,
  readFacts,
  readTokenParts,
  readToolCounts,
  readWriteLifetimes,
} from '../../token-details.ts'

/** `prompt_tokens` includes cached tokens. `completion_tokens` includes thinking. */
export interface ChatUsage {
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

export function encodeUsage(usage: Usage): ChatUsage {
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

/** Reads a whole reply. Returns null if it has no choices, a choice without a message, or an error. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || asObject(reply.error) !== null) return null
  const choices = asArray(reply.choices)
  if (choices.length === 0) return null
  let outputCharacters = 0
  for (const item of choices) {
    const choice = asObject(item)
    const message = asObject(choice?.message)
    if (message === null || asObject(choice?.error) !== null) return null
    outputCharacters += countGenerated(message)
  }
  return { usage: decodeUsage(reply.usage, reply.service_tier), outputCharacters }
}

/** Counts the characters generated in a message or delta: text, thinking, refusal, tool names and arguments. */
export function countGenerated(message: JsonObject): number {
  return textLength(message.content) + countBesideContent(message)
}

/** The same without `content`, which may hold more than text in a client's message. */
export function countBesideContent(message: JsonObject): number {
  return (
    // Two names for the same thinking. A supplier that sends both sends the text twice.
    Math.max(textLength(message.reasoning_content), textLength(message.reasoning)) +
    textLength(message.refusal) +
    // What is said aloud comes with its text.
    (message.audio ? textLength(asObject(message.audio)?.transcript) : 0) +
    (message.function_call ? countCall(message.function_call) : 0) +
    (message.tool_calls ? countToolCalls(message.tool_calls) : 0)
  )
}

function countToolCalls(calls: unknown): number {
  let characters = 0
  for (const call of asArray(calls)) {
    const { function: called, custom } = asObject(call) ?? {}
    characters += countCall(called) + countCall(custom)
  }
  return characters
}

function countCall(call: unknown): number {
  const called = asObject(call)
  return called ? textLength(called.name) + textLength(called.arguments) + textLength(called.input) : 0
}
