import type { Usage } from '../../../conversation/usage.ts'
import { type ReportFacts, settleReport, type TokenReport } from '../../../conversation/usage-report.ts'
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
import {
  encodeOutputParts,
  encodePromptParts,
  encodeToolCounts,
  encodeWriteLifetimes,
  readFacts,
  readTokenParts,
  readToolCounts,
} from '../../token-details.ts'

/** `input_tokens` includes cached tokens. `output_tokens` includes thinking. */
export interface ResponsesUsage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

/** Reads the usage of a response into buckets that do not overlap. Returns null when it has no counts. */
export function decodeUsage({ usage: wire, output, service_tier }: JsonObject): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const { input_tokens, output_tokens } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(input_tokens) || !isCountOrMissing(output_tokens)) return null
  if ((input_tokens ?? output_tokens ?? null) === null && asCount(usage.total_tokens) === 0) return null
  const promptDetails = asObject(usage.input_tokens_details)
  const outputDetails = asObject(usage.output_tokens_details)
  const report = readReport(usage, promptDetails, outputDetails)
  const parts = readTokenParts(promptDetails, outputDetails)
  return settleReport(
    report,
    parts,
    readFacts(readToolCounts(usage) ?? countHostedCalls(output), service_tier),
  )
}

function readReport(
  usage: JsonObject,
  promptDetails: JsonObject | null,
  outputDetails: JsonObject | null,
): TokenReport {
  const total = asCount(usage.total_tokens)
  const reasoning = asCount(outputDetails?.reasoning_tokens)
  const prompt = asCount(usage.input_tokens, total - asCount(usage.output_tokens))
  const said = asCount(usage.output_tokens, total - prompt)
  // Some suppliers leave thinking out of the output count. Only the total shows it then.
  const isReasoningExtra = reasoning > 0 && total === prompt + said + reasoning
  return {
    prompt,
    cacheRead: asCount(promptDetails?.cached_tokens),
    cacheWrite: asCount(promptDetails?.cache_write_tokens),
    output: isReasoningExtra ? said + reasoning : said,
    reasoning,
  }
}

/** Calls of the supplier's own tools among the output items. Null when there are none. */
function countHostedCalls(output: unknown): ReportFacts | null {
  let webSearches = 0
  let containers: Set<unknown> | null = null
  for (const value of asArray(output)) {
    const item = asObject(value)
    if (item?.type === 'web_search_call') webSearches += isSearch(item) ? 1 : 0
    // Suppliers charge for the container, in which several calls may run.
    else if (item?.type === 'code_interpreter_call') {
      containers ??= new Set()
      containers.add(item.container_id ?? item)
    }
  }
  const codeExecutions = containers?.size ?? 0
  return webSearches + codeExecutions === 0 ? null : { webSearches, codeExecutions }
}

/** Opening a page that was found is not a search. */
function isSearch({ action, status }: JsonObject): boolean {
  return status !== 'failed' && (asObject(action)?.type ?? 'search') === 'search'
}

/** Adds an item of a stream to the hosted calls in it. Null while there are none. */
export function noteHostedCall(
  calls: readonly JsonObject[] | null,
  item: unknown,
): readonly JsonObject[] | null {
  const call = asObject(item)
  const isHosted = call?.type === 'web_search_call' || call?.type === 'code_interpreter_call'
  return isHosted ? [...(calls ?? []), call] : calls
}

/** The usage of a streamed response. Some suppliers leave the output out of the last event. */
export function decodeStreamUsage(response: JsonObject, calls: readonly JsonObject[] | null): Usage | null {
  const isWhole = calls === null || asArray(response.output).length > 0
  return decodeUsage(isWhole ? response : { ...response, output: calls })
}

export function encodeUsage(usage: Usage): ResponsesUsage {
  const { details } = usage
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    input_tokens: prompt,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      ...(details !== undefined && { ...encodePromptParts(usage), ...encodeWriteLifetimes(usage) }),
    },
    output_tokens: usage.output,
    output_tokens_details: {
      reasoning_tokens: usage.reasoning,
      ...(details !== undefined && encodeOutputParts(usage)),
    },
    total_tokens: prompt + usage.output,
    ...(details !== undefined && encodeToolCounts(details)),
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
  return { usage: decodeUsage(response), outputCharacters: countGenerated(response.output) }
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
