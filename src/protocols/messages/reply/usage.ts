import { addUsage, NO_USAGE, type Usage, type UsageDetails } from '../../../conversation/usage.ts'
import { settleReport } from '../../../conversation/usage-report.ts'
import {
  asArray,
  asCount,
  asObject,
  isCountOrMissing,
  isObject,
  type JsonObject,
} from '../../../wire/json-values.ts'
import {
  encodeToolCounts,
  encodeWriteLifetimes,
  readFacts,
  readToolCounts,
  readWriteLifetimes,
} from '../../token-details.ts'

/** Token counts in this format: `input_tokens` excludes cached tokens, `output_tokens` includes thinking. */
interface MessagesUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation: JsonObject | null
  readonly output_tokens: number
  readonly output_tokens_details: { readonly thinking_tokens: number }
  readonly server_tool_use: JsonObject | null
  readonly service_tier: string | null
  readonly speed: string | null
  readonly inference_geo: string | null
  readonly iterations: null
  readonly fallback_credit: null
}

/** Splits a usage object into disjoint counts; null when it has none. */
export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const { input_tokens, output_tokens } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(input_tokens) || !isCountOrMissing(output_tokens)) return null
  if ((input_tokens ?? output_tokens ?? null) === null) return null
  const read = readCounts(usage, usage.speed === 'fast' ? 'fast' : usage.service_tier)
  return usage.iterations ? addIterations(read, usage.iterations) : read
}

function readCounts(usage: JsonObject, tier: unknown): Usage {
  const cacheRead = asCount(usage.cache_read_input_tokens)
  const cacheWrite = readCacheWrite(usage)
  const report = {
    prompt: asCount(usage.input_tokens) + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    output: asCount(usage.output_tokens),
    reasoning: asCount(asObject(usage.output_tokens_details)?.thinking_tokens),
  }
  const facts = readFacts(readToolCounts(usage), tier)
  return settleReport(report, readWriteLifetimes(usage.cache_creation), facts)
}

/** Summaries of a long conversation and second opinions on the way to the answer are charged but not in the totals. */
function addIterations(usage: Usage, iterations: unknown): Usage {
  let sum = usage
  for (const value of asArray(iterations)) {
    const iteration = asObject(value)
    if (iteration !== null && iteration.type !== 'message') sum = addUsage(sum, readCounts(iteration, null))
  }
  return sum
}

/** Usage for the client. `promptTokens` is the gateway's estimate, used when the supplier reported none. */
export function encodeUsage(usage: Usage | null, promptTokens: number): MessagesUsage {
  const { input, cacheRead, cacheWrite, output, reasoning, details } = usage ?? {
    ...NO_USAGE,
    input: promptTokens,
  }
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: null,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
    service_tier: null,
    speed: null,
    inference_geo: null,
    iterations: null,
    fallback_credit: null,
    ...(usage !== null &&
      details !== undefined && { ...encodeWriteLifetimes(usage), ...encodeFacts(details) }),
  }
}

function encodeFacts(details: UsageDetails): JsonObject {
  const { serviceTier } = details
  const { server_tool_use: calls } = encodeToolCounts(details)
  return {
    ...(isObject(calls) && { server_tool_use: { web_fetch_requests: 0, ...calls } }),
    ...(serviceTier === 'fast' && { speed: serviceTier }),
    // The format has no other tiers.
    ...((serviceTier === 'priority' || serviceTier === 'batch') && { service_tier: serviceTier }),
  }
}

/** Collects the usage of a stream. Reports hold totals; a total that a later report omits or sets to null keeps its value. */
export class UsageGatherer {
  #reported: JsonObject = {}
  usage: Usage | null = null

  add(wire: unknown): void {
    const report = asObject(wire)
    if (report === null) return
    const present = Object.entries(report).filter(([, value]) => value !== null && value !== undefined)
    this.#reported = { ...this.#reported, ...Object.fromEntries(present) }
    this.usage = decodeUsage(this.#reported) ?? this.usage
  }
}

function readCacheWrite(usage: JsonObject): number {
  if (typeof usage.cache_creation_input_tokens === 'number') {
    return asCount(usage.cache_creation_input_tokens)
  }
  const byAge = asObject(usage.cache_creation)
  return byAge === null ? 0 : Object.values(byAge).reduce<number>((sum, count) => sum + asCount(count), 0)
}
