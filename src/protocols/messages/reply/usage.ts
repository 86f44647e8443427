import { NO_USAGE, type Usage } from '../../../conversation/usage.ts'
import { asCount, asObject, isCountOrMissing, type JsonObject } from '../../../wire/json-values.ts'

/** Token counts in this format: `input_tokens` excludes cached tokens, `output_tokens` includes thinking. */
interface MessagesUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
  readonly output_tokens_details: { readonly thinking_tokens: number }
}

/** Splits a usage object into disjoint counts; null when it has none. */
export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  if (usage === null) return null
  const { input_tokens, output_tokens } = usage
  // An invalid count cannot be charged. The delivered output is counted instead.
  if (!isCountOrMissing(input_tokens) || !isCountOrMissing(output_tokens)) return null
  if ((input_tokens ?? output_tokens ?? null) === null) return null
  const output = asCount(usage.output_tokens)
  return {
    input: asCount(usage.input_tokens),
    cacheRead: asCount(usage.cache_read_input_tokens),
    cacheWrite: readCacheWrite(usage),
    output,
    reasoning: Math.min(output, asCount(asObject(usage.output_tokens_details)?.thinking_tokens)),
    images: 0,
  }
}

/** Usage for the client. `promptTokens` is the gateway's estimate, used when the supplier reported none. */
export function encodeUsage(usage: Usage | null, promptTokens: number): MessagesUsage {
  const { input, cacheRead, cacheWrite, output, reasoning } = usage ?? { ...NO_USAGE, input: promptTokens }
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
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
  const byAge = asObject(usage.cache_creation) ?? {}
  return asCount(byAge.ephemeral_5m_input_tokens) + asCount(byAge.ephemeral_1h_input_tokens)
}
