import type { Sampling } from '../../../conversation/conversation.ts'
import type { Traits } from '../../vocabulary/runtime/traits.ts'
import type { JsonObject } from '../../../wire/json-values.ts'

/** Suppliers take a share of the likeliest tokens beside thinking only when it is nearly all of them. */
const LEAST_TOP_P_WITH_THINKING = 0.95

export interface SamplingSituation {
  readonly traits: Traits
  readonly isThinking: boolean
  readonly dropped: Set<string>
}

/** The sampling fields that the model takes; what it would refuse is left out and named. */
export function encodeSampling(sampling: Sampling, situation: SamplingSituation): JsonObject {
  const { dropped } = situation
  if (sampling.seed !== null) dropped.add('seed')
  if (sampling.presencePenalty !== null) dropped.add('presence_penalty')
  if (sampling.frequencyPenalty !== null) dropped.add('frequency_penalty')
  return { ...encodeChance(sampling, situation), ...encodeStop(sampling.stop, situation) }
}

function encodeChance(
  { temperature, topP, topK }: Sampling,
  { traits, isThinking, dropped }: SamplingSituation,
): JsonObject {
  const isRefused =
    traits.sampling === 'rejected' || (traits.sampling === 'only-without-thinking' && isThinking)
  const isFixed = isRefused || isThinking
  const isTopPFree = !isRefused && (!isThinking || (topP ?? 0) >= LEAST_TOP_P_WITH_THINKING)
  const isEither = traits.isTemperatureOrTopP && temperature !== null && !isFixed
  const fields = {
    temperature: isFixed ? null : temperature && Math.min(temperature, 1),
    top_p: isTopPFree && !isEither ? topP : null,
    top_k: isFixed ? null : topK,
  }
  const asked = { temperature, top_p: topP, top_k: topK }
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    // Thinking leaves the temperature at 1, so a client that asked for 1 gets what it asked for.
    const isKept = fields[name] === asked[name] || (name === 'temperature' && isFixed && asked[name] === 1)
    if (!isKept) dropped.add(name)
  }
  return withoutNulls(fields)
}

function encodeStop(stop: readonly string[], { traits, dropped }: SamplingSituation): JsonObject {
  // Suppliers refuse a sequence of nothing but white space.
  const taken = traits.stop ? stop.filter((text) => text.trim() !== '') : []
  if (taken.length < stop.length) dropped.add('stop')
  return taken.length === 0 ? {} : { stop_sequences: taken }
}

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
