import type { Usage } from '../../conversation/usage.ts'
import { settleReport, withDetails } from '../../conversation/usage-report.ts'
import { asCount, asObject, asText, isCountOrMissing, type JsonObject } from '../../wire/json-values.ts'
import { type EventReading, RelayedEvents } from '../supplier-event.ts'
import type { SpokenAudio } from './tap-audio.ts'

export interface SpeechCounts {
  /** Our own count. */
  count(audio: SpokenAudio): Usage
  /** A supplier's report with what we know besides. */
  complete(reported: Usage): Usage
}

/** Reads speech in events, with the audio in Base64. */
export function openEventsTap({ count, complete }: SpeechCounts): RelayedEvents {
  let bytes = 0
  const readEvent = (event: JsonObject): EventReading => {
    bytes += Math.floor(((asText(event.audio)?.length ?? 0) * 3) / 4)
    const usage = decodeUsage(event.usage)
    return { text: '', usage: usage && complete(usage), isLast: event.type === 'speech.audio.done' }
  }
  return new RelayedEvents({ readEvent, countUsage: () => count({ bytes, durationMs: null }) })
}

/** All that is generated is audio. */
function decodeUsage(wire: unknown): Usage | null {
  const { input_tokens, output_tokens } = asObject(wire) ?? {}
  if (!isCountOrMissing(input_tokens) || !isCountOrMissing(output_tokens)) return null
  if ((input_tokens ?? output_tokens ?? null) === null) return null
  const output = asCount(output_tokens)
  const report = { prompt: asCount(input_tokens), cacheRead: 0, cacheWrite: 0, output, reasoning: 0 }
  return withDetails(settleReport(report, null, null), { audioOutput: output })
}
