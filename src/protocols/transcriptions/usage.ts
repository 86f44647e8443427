import type { Usage } from '../../conversation/usage.ts'
import { NO_PARTS, settleReport, withDetails } from '../../conversation/usage-report.ts'
import { asCount, asObject, isCountOrMissing, type JsonObject } from '../../wire/json-values.ts'

/**
 * The usage of a reply or of the last event of a stream; null when it reports none. Models are charged by tokens or by
 * the length of the audio, and `verbose_json` tells the length in a member of its own.
 */
export function decodeUsage({ usage, duration }: JsonObject): Usage | null {
  const said = asObject(usage)
  const audioMs = readSeconds(said?.seconds) ?? readSeconds(duration)
  const tokens = said === null ? null : decodeTokens(said)
  if (tokens === null && audioMs === null) return null
  const base =
    tokens ?? settleReport({ prompt: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }, null, null)
  const isContradictory = audioMs !== null && !(audioMs >= 0 && Number.isFinite(audioMs))
  return withDetails(base, {
    ...base.details,
    ...(isContradictory ? { isContradictory } : audioMs !== null && { audioMs: Math.round(audioMs) }),
  })
}

/** Older replies have the number as a text. */
function readSeconds(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  return value === '' ? null : Number(value) * 1000
}

function decodeTokens(usage: JsonObject): Usage | null {
  const prompt = usage.input_tokens ?? usage.prompt_tokens
  const output = usage.output_tokens ?? usage.completion_tokens
  if (!isCountOrMissing(prompt) || !isCountOrMissing(output)) return null
  if ((prompt ?? output ?? null) === null) return null
  const details = asObject(usage.input_token_details) ?? asObject(usage.input_tokens_details)
  const audio = asCount(details?.audio_tokens)
  const report = {
    prompt: asCount(prompt),
    cacheRead: 0,
    cacheWrite: 0,
    output: asCount(output),
    reasoning: 0,
  }
  return settleReport(report, audio > 0 ? { ...NO_PARTS, audio } : null, null)
}
